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
	implausible  = 1.0 // box weights
	invalid      = 1.5 // numbers of boxes
	duplicate    = 0.5 // pallet numbers
	uniform      = 0.5 // box weights
	grossUsed    = 0.5 // in place of net weights
	nominal      = 0.3 // box weights, in whole steps
)

// evidence returns how well the numbers agree with the mapping.
func (s *Settled) evidence() (score float64) {
	products, exact, odd, bad, weighed := 0, 0, 0, 0, 0
	boxes, net := 0.0, 0.0
	seen := map[string]bool{}
	repeated := 0
	round := 0
	weights := map[int]int{} // lines by the weight of their boxes, in steps of 50 g
	for _, g := range s.groups() {
		if key := s.key(g[0]); seen[key] {
			repeated++
		} else {
			seen[key] = true
		}
	}
	for _, l := range s.Lines {
		if l.Boxes.OK && l.Box.OK && l.Whole.OK && l.Whole.Value > 0 {
			products++
			if math.Abs(l.Boxes.Value*l.Box.Value-l.Whole.Value) <= 0.003*l.Whole.Value {
				exact++
			}
		}
		if w := l.weight(); w > 0 {
			weighed++
			weights[int(w/50+0.5)]++
			if step := stepOf(w); math.Abs(w-step*math.Round(w/step)) <= 0.002*w {
				round++
			}
			if w < float64(reference.LightestBox) || w > float64(reference.HeaviestBox) {
				odd++
			}
		}
		if l.Boxes.Present && !l.Boxes.OK {
			bad++
		}
		boxes += l.Boxes.Value
		net += weightOf(l)
	}
	share := func(n, of int) float64 { return float64(n) / float64(max(1, of)) }
	score = equalProduct*share(
		exact,
		products,
	) - implausible*share(
		odd,
		weighed,
	) - invalid*share(
		bad,
		len(s.Lines),
	) - duplicate*share(
		repeated,
		len(seen),
	)
	usual := 0
	for _, n := range weights {
		usual = max(usual, n)
	}
	score += uniform*share(usual, weighed) + nominal*share(round, weighed)
	if used := s.used(); used == vocabulary.GrossWeight || used == vocabulary.BoxGross {
		score -= grossUsed
	}
	declared := s.declared()
	score += agreement(float64(declared.Boxes), boxes) + agreement(float64(declared.NetWeight), net)
	return score
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

// weightOf returns the net weight of a line.
func weightOf(l Line) float64 {
	if l.Whole.OK {
		return l.Whole.Value
	}
	return l.Box.Value * l.Boxes.Value
}

func agreement(total, sum float64) float64 {
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
	type reading struct {
		*Settled
		m     mapping.Mapping
		score float64
	}
	if len(all) == 1 {
		return all[0], nil, nil
	}
	var readings []reading
	for _, m := range all {
		s, err := Settle(read(m))
		if err == nil && len(s.Lines) > 0 {
			readings = append(readings, reading{s, m, s.Evidence + m.Prior})
		}
	}
	if len(readings) == 0 {
		return all[0], nil, nil
	}
	slices.SortStableFunc(readings, func(a, b reading) int {
		switch {
		case a.score > b.score+1e-9:
			return -1
		case b.score > a.score+1e-9:
			return 1
		}
		return 0
	})
	best := readings[0]
	rivals := []reading{best}
	for _, r := range readings[1:] {
		if best.score-r.score < tie &&
			!slices.ContainsFunc(rivals, func(o reading) bool { return o.outcome() == r.outcome() }) {
			rivals = append(rivals, r)
		}
	}
	if len(rivals) == 1 {
		return best.m, nil, nil
	}
	var candidates []shipments.Candidate
	var texts []string
	for _, r := range rivals[:min(len(rivals), shipments.MaxCandidates)] {
		c := candidate(r.Settled, r.m, best.m)
		candidates = append(candidates, c)
		texts = append(texts, c.Text)
	}
	detail := "the list can be read in several ways, and its numbers agree with each as well: " + strings.Join(
		texts,
		"; or ",
	)
	t := best.Read[0].Table
	return best.m, candidates, &Error{Code: shipments.AmbiguousMapping, Detail: detail, Place: t.At(t.From, -1)}
}

// candidate describes a mapping beside others.
func candidate(s *Settled, m, _ mapping.Mapping) (c shipments.Candidate) {
	var names []string
	for _, f := range []vocabulary.Field{
		vocabulary.PalletNumber, vocabulary.Boxes, vocabulary.BoxWeight,
		vocabulary.NetWeight, vocabulary.GrossWeight,
	} {
		if !m.Has(f) {
			continue
		}
		col := tables.ColumnName(m.At(f) + 1)
		c.Columns = append(c.Columns, shipments.AssignedColumn{Column: col, Field: string(f)})
		names = append(names, fmt.Sprintf("%s from column %s %q", f.Name(), col, m.Column(f).Text))
	}
	boxes := boxesOf(s.Lines)
	c.Text = fmt.Sprintf("%s (%d lines with %.0f boxes)", strings.Join(names, ", "), len(s.Lines), boxes)
	if text := []rune(c.Text); len(text) > shipments.MaxFactText {
		c.Text = string(text[:shipments.MaxFactText])
	}
	return c
}
