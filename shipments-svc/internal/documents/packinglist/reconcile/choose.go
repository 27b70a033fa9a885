package reconcile

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// tie is the greatest difference of scores that decides nothing.
const tie = 0.015

// Choose settles the lines of each mapping and returns the best. It returns an Error
// with the code shipments.AmbiguousMapping, and the candidates, where another agrees with
// the numbers as well and gives other pallets.
func Choose(
	all []mapping.Mapping,
	read func(mapping.Mapping) []lines.Lines,
) (mapping.Mapping, []shipments.Candidate, error) {
	if len(all) == 1 {
		return all[0], nil, nil
	}
	var readings []*Settled
	for _, m := range all {
		if s, err := Settle(read(m)); err == nil && len(s.Lines) > 0 {
			s.Score += m.Prior
			readings = append(readings, s)
		}
	}
	if len(readings) == 0 {
		return all[0], nil, nil
	}
	slices.SortStableFunc(readings, func(a, b *Settled) int {
		return cmp.Compare(math.Round(b.Score*1e6), math.Round(a.Score*1e6))
	})
	best, rivals := readings[0], readings[:1:1]
	for _, r := range readings[1:] {
		same := func(o *Settled) bool { return o.outcome() == r.outcome() }
		if best.Score-r.Score < tie && !slices.ContainsFunc(rivals, same) {
			rivals = append(rivals, r)
		}
	}
	m := best.Read[0].Mapping
	if len(rivals) == 1 {
		return m, nil, nil
	}
	var candidates []shipments.Candidate
	var texts []string
	for _, r := range rivals[:min(len(rivals), shipments.MaxCandidates)] {
		c := r.candidate()
		candidates, texts = append(candidates, c), append(texts, c.Text)
	}
	t := best.Read[0].Table
	return m, candidates, &Error{
		Code: shipments.AmbiguousMapping, Place: t.At(t.From, -1),
		Detail: "the list can be read in several ways, and its numbers agree with each as well: " +
			strings.Join(texts, "; or "),
	}
}

// outcome is equal for mappings that give the same pallets.
func (s *Settled) outcome() uint64 {
	h := fnv.New64a()
	pallets := map[string]int{} // which name a pallet has makes no difference
	for _, l := range s.Lines {
		key := s.key(l)
		if _, seen := pallets[key]; !seen {
			pallets[key] = len(pallets)
		}
		_, _ = fmt.Fprintf(h, "%d %v %.0f\n", pallets[key], l.Boxes.Value, l.weight())
	}
	return h.Sum64()
}

// candidate describes a mapping beside others.
func (s *Settled) candidate() (c shipments.Candidate) {
	m := s.Read[0].Mapping
	var names []string
	for _, f := range []vocabulary.Field{
		vocabulary.PalletNumber, vocabulary.Boxes, vocabulary.BoxWeight, vocabulary.NetWeight, vocabulary.GrossWeight,
	} {
		if m.Has(f) {
			col := tables.ColumnName(m.At(f) + 1)
			c.Columns = append(c.Columns, shipments.AssignedColumn{Column: col, Field: string(f)})
			names = append(names, fmt.Sprintf("%s from column %s %q", f.Name(), col, m.Column(f).Text))
		}
	}
	text := fmt.Sprintf("%s (%d lines with %.0f boxes)", strings.Join(names, ", "), len(s.Lines), boxesOf(s.Lines))
	c.Text, _ = remarks.Shortened(text, shipments.MaxFactText)
	return c
}

// What agreement of numbers counts, in units of the score of a heading.
const (
	equalProduct = 1.5 // boxes × box weight = weight of the line
	equalTotal   = 1.0 // the lines are the total
	implausible  = 1.0 // box weights
	oddPallet    = 0.5 // weights of pallets
	invalid      = 1.5 // numbers of boxes
	duplicate    = 0.5 // pallet numbers
	uniform      = 0.5 // box weights
	grossUsed    = 0.5 // in place of net weights
	oddGross     = 1.0 // a net weight that is not somewhat below the gross weight
)

// share is how many of some things have a property.
type share struct{ has, of float64 }

func (n *share) add(has bool) {
	n.of++
	if has {
		n.has++
	}
}

func (n *share) ratio() float64 { return n.has / max(1, n.of) }

// agreement returns how well the numbers agree.
func (s *Settled) agreement() (score float64) {
	var exact, odd, bad, repeated, pallets, heavy share
	net, usual, weighed := 0.0, 0.0, 0.0
	weights, weighs := map[int]float64{}, map[string]float64{} // lines by box weight in steps of 50 g, pallets
	gross := s.used == vocabulary.GrossWeight || s.used == vocabulary.BoxGross
	for _, g := range s.groups() {
		key := s.key(g[0])
		_, seen := weighs[key]
		repeated.add(seen)
		for _, l := range g {
			weighs[key] += l.net()
			net += l.net()
			if l.Boxes.OK && l.Box.OK && l.Whole.OK && l.Whole.Value > 0 {
				exact.add(math.Abs(l.Boxes.Value*l.Box.Value-l.Whole.Value) <= 0.003*l.Whole.Value)
			}
			bad.add(l.Boxes.Present && !l.Boxes.OK)
			if l.Gross.Value > 0 && !gross {
				heavy.add(l.net() > l.Gross.Value || l.net() < 0.7*l.Gross.Value)
			}
			w := l.weight()
			if w <= 0 {
				continue
			}
			odd.add(w < 2*float64(reference.LightestBox) || w > float64(reference.HeaviestBox))
			weighed++
			weights[int(w/50+0.5)]++
			usual = max(usual, weights[int(w/50+0.5)])
		}
	}
	for _, w := range weighs {
		pallets.add(w > float64(reference.HeaviestPallet) || w > 0 && w < float64(reference.LightestPallet))
	}
	score = equalProduct*exact.ratio() + uniform*usual/max(1, weighed) -
		implausible*odd.ratio() - oddPallet*pallets.ratio() - invalid*bad.ratio() - duplicate*repeated.ratio() -
		oddGross*heavy.ratio()
	if gross {
		score -= grossUsed
	}
	declared := Declared(s.Totals)
	return score + equality(float64(declared.Boxes), boxesOf(s.Lines)) + equality(float64(declared.NetWeight), net)
}

// near reports whether two weights differ by at most 2 %, as by rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= 0.02*max(a, b) }

func equality(total, sum float64) float64 {
	switch {
	case total == 0 || sum == 0:
		return 0
	case math.Abs(total-sum) <= 0.002*total:
		return equalTotal
	default:
		return -equalTotal
	}
}
