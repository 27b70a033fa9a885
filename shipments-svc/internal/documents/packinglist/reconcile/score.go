package reconcile

import (
	"fmt"
	"hash/fnv"
	"math"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// What agreement of numbers counts, in units of the score of a heading.
const (
	equalProduct = 1.5 // boxes × box weight = weight of the line
	equalTotal   = 1.0 // the lines are the total
	equalPart    = 0.5 // the lines since the last subtotal are the next
	implausible  = 1.0 // box weights
	oddPallet    = 0.5 // weights of pallets
	invalid      = 1.5 // numbers of boxes
	duplicate    = 0.5 // pallet numbers
	uniform      = 0.5 // box weights
	grossUsed    = 0.5 // in place of net weights
	nominal      = 0.3 // box weights, in whole steps
)

// lightestBox is less than any box weighs, in grams.
const lightestBox = 2 * float64(reference.LightestBox)

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
	var exact, odd, bad, round, repeated, parts, pallets share
	net, usual := 0.0, 0.0
	weights, weighs := map[int]float64{}, map[string]float64{} // lines by box weight in steps of 50 g, pallets
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
			w := l.weight()
			if w <= 0 {
				continue
			}
			odd.add(w < lightestBox || w > float64(reference.HeaviestBox))
			step := stepOf(w)
			round.add(math.Abs(w-step*math.Round(w/step)) <= 0.002*w)
			weights[int(w/50+0.5)]++
			usual = max(usual, weights[int(w/50+0.5)])
		}
	}
	for _, w := range weighs {
		pallets.add(w > float64(reference.HeaviestPallet) || w > 0 && w < float64(reference.LightestPallet))
	}
	for _, t := range s.Totals {
		if t.Boxes > 0 && t.Part {
			parts.add(float64(t.Boxes) == t.Since)
		}
	}
	score = equalProduct*exact.ratio() + uniform*usual/max(1, round.of) + nominal*round.ratio() + equalPart*parts.ratio() -
		implausible*odd.ratio() - oddPallet*pallets.ratio() - invalid*bad.ratio() - duplicate*repeated.ratio()
	if used := s.used(); used == vocabulary.GrossWeight || used == vocabulary.BoxGross {
		score -= grossUsed
	}
	declared := Declared(s.Totals)
	return score + equality(float64(declared.Boxes), boxesOf(s.Lines)) + equality(float64(declared.NetWeight), net)
}

// stepOf returns the step of the nominal weights of boxes in grams.
func stepOf(weight float64) float64 {
	const heavy, step, light = 2_000, 250, 50
	if weight >= heavy {
		return step
	}
	return light
}

// near reports whether two weights differ by at most 2 %, as by rounding.
func near(a, b float64) bool { return max(a, b)-min(a, b) <= 0.02*max(a, b) }

// net returns the net weight of a line.
func (l Line) net() float64 {
	if l.Whole.OK {
		return l.Whole.Value
	}
	return l.Box.Value * l.Boxes.Value
}

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
	score := func(s *Settled) float64 { return s.Score + s.Read[0].Mapping.Prior }
	for _, m := range all {
		if s, err := Settle(read(m)); err == nil && len(s.Lines) > 0 {
			readings = append(readings, s)
		}
	}
	if len(readings) == 0 {
		return all[0], nil, nil
	}
	best := readings[0]
	for _, r := range readings {
		if score(r) > score(best)+1e-9 {
			best = r
		}
	}
	rivals := []*Settled{best}
	for _, r := range readings {
		if score(best)-score(r) < tie &&
			!slices.ContainsFunc(rivals, func(o *Settled) bool { return o.outcome() == r.outcome() }) {
			rivals = append(rivals, r)
		}
	}
	if len(rivals) == 1 {
		return best.Read[0].Mapping, nil, nil
	}
	var candidates []shipments.Candidate
	var texts []string
	for _, r := range rivals[:min(len(rivals), shipments.MaxCandidates)] {
		c := r.candidate()
		candidates, texts = append(candidates, c), append(texts, c.Text)
	}
	t := best.Read[0].Table
	return best.Read[0].Mapping, candidates, &Error{
		Code: shipments.AmbiguousMapping, Place: t.At(t.From, -1),
		Detail: "the list can be read in several ways, and its numbers agree with each as well: " +
			strings.Join(texts, "; or "),
	}
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
	c.Text = fmt.Sprintf("%s (%d lines with %.0f boxes)", strings.Join(names, ", "), len(s.Lines), boxesOf(s.Lines))
	if text := []rune(c.Text); len(text) > shipments.MaxFactText {
		c.Text = string(text[:shipments.MaxFactText])
	}
	return c
}
