package reconcile

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

// level is a way to read the amounts of the lines.
type level struct {
	rule  string              // of its remark
	prior float64             // how likely it is beside the others, without any numbers
	read  func(*Settled) bool // reads the lines so; false: they cannot be read so
}

// boxLevels are the ways to read the numbers of boxes, weightLevels those to read the
// weights; the first is as the headings say.
var (
	asHeaded  = level{read: func(*Settled) bool { return true }}
	boxLevels = []level{asHeaded, {"", 0.3, (*Settled).withoutPalletTotals}, {"", -0.25, (*Settled).boxesOfPallet}}

	weightLevels = []level{
		asHeaded,
		{"weight_kind_assumed/of-box", -0.1, (*Settled).weightOfBox},
		{"weight_kind_assumed/of-line", -0.1, (*Settled).weightOfLine},
		{"weight_kind_assumed/of-pallet", -0.02, (*Settled).weightOfPallet},
	}
)

// leveled returns the lines in the way with which their numbers agree best.
func (s *Settled) leveled() (best *Settled) {
	for _, b := range boxLevels {
		for _, w := range weightLevels {
			o := *s
			o.Lines, o.Remarks.All = slices.Clone(s.Lines), slices.Clone(s.Remarks.All)
			if !b.read(&o) || !w.read(&o) {
				continue
			}
			if w.rule != "" {
				text, at := o.heading(o.used)
				o.Remarks.Add(w.rule, at, text)
			}
			o.share()
			o.Score = o.agreement() + b.prior + w.prior
			if best == nil || o.Score > best.Score+1e-9 {
				best = &o
			}
		}
	}
	gross := func(l *Line) *float64 { return &l.Gross }
	if net := func(l *Line) *float64 { return &l.Whole.Value }; best.repeats(gross) && !best.repeats(net) {
		for _, g := range best.groups() {
			for i := range g[1:] {
				g[i+1].Gross = 0
			}
		}
	}
	return best
}

// withoutPalletTotals drops the first line of each pallet with several, if it has the boxes
// of the others together.
func (s *Settled) withoutPalletTotals() bool {
	totals := map[*lines.Line]bool{}
	for _, g := range s.groups() {
		if len(g) > 2 && g[0].Boxes.OK {
			if g[0].Boxes.Value != boxesOf(g[1:]) {
				return false
			}
			totals[g[0].Line] = true
		}
	}
	s.Lines = slices.DeleteFunc(s.Lines, func(l Line) bool { return totals[l.Line] })
	return len(totals) > 0
}

// boxesOfPallet counts boxes that are on each line of their pallet once, which a total must
// show.
func (s *Settled) boxesOfPallet() bool {
	if Declared(s.Totals).Boxes == 0 || !s.repeats(func(l *Line) *float64 { return &l.Boxes.Value }) {
		return false
	}
	for _, g := range s.groups() {
		for i := range g[1:] {
			g[i+1].Boxes = lines.Amount{}
		}
	}
	return true
}

// weightOfBox reads the weights of lines as those of one box.
func (s *Settled) weightOfBox() bool {
	box, whole := s.Read[0].Mapping.WeightFields()
	for i, l := range s.Lines {
		s.Lines[i].Box, s.Lines[i].Whole = l.Whole, lines.Amount{}
	}
	return box == vocabulary.None && whole != vocabulary.None && !s.Read[0].Mapping.Cartons
}

// weightOfLine reads the weights of boxes as those of lines.
func (s *Settled) weightOfLine() bool {
	box, whole := s.Read[0].Mapping.WeightFields()
	for i, l := range s.Lines {
		if l.Box.Present {
			s.Lines[i].Whole, s.Lines[i].Box = l.Box, lines.Amount{}
		}
	}
	return box != vocabulary.None && whole == vocabulary.None
}

// weightOfPallet reads weights that are on each line of their pallet once.
func (s *Settled) weightOfPallet() bool {
	if !s.repeats(func(l *Line) *float64 { return &l.Whole.Value }) {
		return false
	}
	for _, g := range s.groups() {
		for i := range g[1:] {
			g[i+1].Whole = lines.Amount{}
		}
	}
	return true
}

// repeats reports whether an amount is the same on all lines of nearly each pallet, of
// which one has several with different contents.
func (s *Settled) repeats(of func(*Line) *float64) bool {
	several, differ := 0, 0
	for _, g := range s.groups() {
		first := *of(&g[0])
		if len(g) > 1 && !g[0].sameContents(g[1]) {
			several++
		}
		if first == 0 || slices.ContainsFunc(g, func(l Line) bool { return *of(&l) != first }) {
			differ++
		}
	}
	return several > 0 && differ*10 <= several
}

// share gives the lines of a pallet that lack a weight their share of the weight that the
// others have.
func (s *Settled) share() {
	for _, g := range s.groups() {
		lacks := slices.ContainsFunc(g, func(l Line) bool { return !l.Box.OK && !l.Whole.OK })
		first := slices.IndexFunc(g, func(l Line) bool { return l.Whole.OK })
		boxes := boxesOf(g)
		if !lacks || first < 0 || boxes == 0 || len(g) == 1 {
			continue
		}
		whole := g[first].Whole
		whole.Value = 0
		for _, l := range g {
			whole.Value += l.Whole.Value
		}
		for i, l := range g {
			g[i].Whole = whole
			if g[i].Whole.Value *= l.Boxes.Value / boxes; !l.Boxes.OK {
				g[i].Whole = lines.Amount{}
			}
		}
	}
}
