package reconcile

import (
	"math"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// amounts are the fields that the amounts of the lines were read from.
type amounts struct{ box, whole vocabulary.Field }

// lightestBox is the minimum weight of a box in grams. A weight of a line that
// would make its boxes lighter is the weight of one box.
const lightestBox = 2 * float64(reference.LightestBox)

// levels decides what the boxes and weights of the lines are amounts of.
func (s *Settled) levels() {
	if len(s.Read) == 0 || len(s.Lines) == 0 {
		return
	}
	m := s.Read[0].Mapping
	s.at.box, s.at.whole = m.First(
		vocabulary.BoxWeight,
		vocabulary.BoxGross,
	), m.First(
		vocabulary.NetWeight,
		vocabulary.AnyWeight,
		vocabulary.GrossWeight,
	)
	if s.at.box == vocabulary.BoxGross && s.at.whole == vocabulary.NetWeight {
		s.at.box = vocabulary.None
		s.each(func(l *Line) { l.Box = lines.Amount{} })
	}
	if s.at.box == vocabulary.BoxWeight && s.at.whole != vocabulary.NetWeight {
		s.at.whole = vocabulary.None
		s.each(func(l *Line) { l.Whole = lines.Amount{} })
	}
	declared := s.declared()
	boxes := func(l *Line) *lines.Amount { return &l.Boxes }
	whole := func(l *Line) *lines.Amount { return &l.Whole }
	if s.repeated(boxes, float64(declared.Boxes), nil) {
		s.once(boxes)
	}
	switch {
	case s.at.box == vocabulary.None && s.at.whole != vocabulary.None && s.perBox():
		s.Remarks.Add(remarks.WeightKindAssumed+"/of-box", s.headingPlace(s.at.whole),
			"column %s was used as the weight of one box: its numbers are too small for whole lines", s.heading(s.at.whole))
		s.each(func(l *Line) { l.Box, l.Whole = l.Whole, lines.Amount{} })
	case s.at.box != vocabulary.None && s.ofWhole():
		s.Remarks.Add(
			remarks.WeightKindAssumed+"/of-line",
			s.headingPlace(s.at.box),
			"column %s was used as the weight of all boxes of a line: its numbers are too large for one box",
			s.heading(s.at.box),
		)
		s.each(func(l *Line) {
			if l.Whole = l.Box; l.Whole.Present {
				l.Box = lines.Amount{}
			}
		})
	case s.at.whole != vocabulary.None && s.repeated(whole, float64(declared.NetWeight),
		func(l Line) float64 { return l.Box.Value }):
		s.once(whole)
		s.Remarks.Add(remarks.WeightKindAssumed+"/of-pallet", s.headingPlace(s.at.whole),
			"column %s has the weight of the pallet on each of its lines; it was counted once", s.heading(s.at.whole))
	}
	s.grossOnce()
}

func (s *Settled) each(do func(*Line)) {
	for i := range s.Lines {
		do(&s.Lines[i])
	}
}

// perBox reports whether the weights of lines are so small that they must be those
// of single boxes.
func (s *Settled) perBox() bool {
	var each, single []float64
	for _, l := range s.Lines {
		if l.Boxes.OK && l.Whole.OK && l.Boxes.Value >= 1 && l.Whole.Value > 0 {
			each, single = append(each, l.Whole.Value/l.Boxes.Value), append(single, l.Whole.Value)
		}
	}
	return each != nil && median(each) < lightestBox && median(single) >= lightestBox
}

// ofWhole reports whether the weights of boxes are so large that they must be those of
// lines.
func (s *Settled) ofWhole() bool {
	const heavy, light = float64(reference.HeaviestBox), float64(reference.LightestBox)
	n, all := 0, 0
	for _, l := range s.Lines {
		if !l.Box.OK || !l.Boxes.OK || l.Boxes.Value < 1 {
			continue
		}
		if all++; l.Box.Value > heavy && l.Box.Value/l.Boxes.Value >= light && l.Box.Value/l.Boxes.Value <= heavy &&
			l.Box.Place.Row > 0 {
			n++
		}
	}
	return all > 0 && n*10 >= all*9
}

// repeated reports whether an amount is that of the pallet, on each of its lines: it is
// the same on all lines of each pallet, and the total, the box weights, or the pallets
// with one line agree with that rather than with amounts of the lines.
func (s *Settled) repeated(of func(*Line) *lines.Amount, total float64, box func(Line) float64) bool {
	var single []float64 // amounts of pallets with one line, by box
	sumLines, sumPallets, groups := 0.0, 0.0, 0
	byLine, byPallet, unequal := 0, 0, 0 // groups that agree
	all := s.groups()
	for _, g := range all {
		first, same := *of(&g[0]), true
		for i := range g {
			a := of(&g[i])
			same = same && a.OK && a.Value == first.Value
			sumLines += a.Value
		}
		if !same {
			unequal++
		}
		sumPallets += first.Value
		if len(g) == 1 && g[0].Boxes.OK && first.OK {
			single = append(single, first.Value/g[0].Boxes.Value)
		}
		if len(g) > 1 {
			groups++
		}
	}
	if groups == 0 || unequal*10 > groups {
		return false
	}
	if total > 0 && !near(sumLines, sumPallets) {
		if near(total, sumPallets) {
			return true
		}
		if near(total, sumLines) {
			return false
		}
	}
	if box == nil {
		return false
	}
	usual := median(single)
	for _, g := range all {
		if len(g) < 2 {
			continue
		}
		a, sum := of(&g[0]).Value, boxesOf(g)
		line, pallet := 0.0, 0.0
		for _, l := range g {
			want := box(l)
			if want == 0 {
				want = usual
			}
			if want > 0 && l.Boxes.Value > 0 {
				line += math.Abs(a/l.Boxes.Value-want) / want
				pallet += math.Abs(a/sum-want) / want
			}
		}
		switch {
		case line < pallet:
			byLine++
		case pallet < line:
			byPallet++
		case differ(g):
			byPallet++
		}
	}
	return byPallet > byLine
}

// differ reports whether the lines of a pallet have different numbers of boxes.
func differ(g []Line) bool {
	return slices.ContainsFunc(g, func(l Line) bool { return l.Boxes.OK && l.Boxes.Value != g[0].Boxes.Value })
}

// once counts an amount of a pallet in its first line only.
func (s *Settled) once(of func(*Line) *lines.Amount) {
	for i := len(s.Lines) - 1; i > 0; i-- {
		if s.key(s.Lines[i]) == s.key(s.Lines[i-1]) && of(&s.Lines[i]).Value == of(&s.Lines[i-1]).Value {
			*of(&s.Lines[i]) = lines.Amount{}
		}
	}
}

// grossOnce does the same with gross weights that are those of the pallet.
func (s *Settled) grossOnce() {
	gross := func(l *Line) *lines.Amount { return &l.Line.Gross }
	if s.repeated(gross, 0, func(l Line) float64 { return l.weight() }) {
		for i := len(s.Lines) - 1; i > 0; i-- {
			if s.key(s.Lines[i]) == s.key(s.Lines[i-1]) {
				s.Lines[i].Gross = 0
			}
		}
	}
}

// within reports whether a number of boxes is valid for a pallet.
func within(boxes float64) bool {
	return boxes >= 1 && boxes <= shipments.MaxBoxes && boxes == float64(int(boxes))
}
