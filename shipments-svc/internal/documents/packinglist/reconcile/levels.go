package reconcile

import (
	"math"
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
	boxLevels = []level{
		{"", 0, nil},
		{"", 0.3, (*Settled).withoutPalletTotals},
		{"", -0.25, (*Settled).boxesOfPallet},
		{"table_skipped/recapitulation", 0.3, (*Settled).withoutRecapitulation},
	}
	weightLevels = []level{
		{"", 0, nil},
		{"weight_kind_assumed/of-box", -0.1, (*Settled).weightOfBox},
		{"weight_kind_assumed/of-line", -0.1, (*Settled).weightOfLine},
		{"weight_kind_assumed/of-pallet", -0.02, (*Settled).weightOfPallet},
	}
)

// leveled returns the lines in the way with which their numbers agree best.
func (s *Settled) leveled() (best *Settled) {
	for _, b := range boxLevels {
		counted := s.with(b)
		if counted == nil {
			continue
		}
		for _, w := range weightLevels {
			o := counted.with(w)
			if o == nil {
				continue
			}
			o.share()
			o.Score = o.agreement() + b.prior + w.prior
			if best == nil || o.Score > best.Score+1e-9 {
				best = o
			}
		}
	}
	best.grossOfPallet()
	return best
}

// with returns the lines in one way, or nil.
func (s *Settled) with(l level) *Settled {
	o := *s
	o.Lines, o.Remarks.All = slices.Clone(s.Lines), slices.Clone(s.Remarks.All)
	before := len(o.Lines)
	if l.read != nil && !l.read(&o) {
		return nil
	}
	switch f := o.used(); {
	case l.rule == "":
	case len(o.Lines) < before:
		o.Remarks.Add(l.rule, s.Lines[len(o.Lines)].Place, before-len(o.Lines))
	case f != vocabulary.None:
		text, at := o.heading(f)
		o.Remarks.Add(l.rule, at, text)
	}
	return &o
}

// used returns the field of the weights that are used.
func (s *Settled) used() vocabulary.Field {
	if s.box != vocabulary.None {
		return s.box
	}
	return s.whole
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

// withoutRecapitulation drops the last lines if they have no pallet numbers of their own,
// and as many boxes as all lines before, of several pallets.
func (s *Settled) withoutRecapitulation() bool {
	for n := len(s.Lines) - 1; n > 1 && !s.Lines[n].Own; n-- {
		boxes := boxesOf(s.Lines[n:])
		if s.key(s.Lines[n-1]) != s.key(s.Lines[0]) && boxes > 0 && boxes == boxesOf(s.Lines[:n]) {
			s.Lines = s.Lines[:n]
			return true
		}
	}
	return false
}

// boxesOfPallet counts boxes that are on each line of their pallet once, which a total must
// show.
func (s *Settled) boxesOfPallet() bool {
	if Declared(s.Totals).Boxes == 0 || !s.repeats(func(l Line) float64 { return l.Boxes.Value }) {
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
	for i, l := range s.Lines {
		s.Lines[i].Box, s.Lines[i].Whole = l.Whole, lines.Amount{}
	}
	return s.box == vocabulary.None && s.whole != vocabulary.None && !s.Read[0].Mapping.Cartons
}

// weightOfLine reads the weights of boxes as those of lines.
func (s *Settled) weightOfLine() bool {
	for i, l := range s.Lines {
		if l.Box.Present {
			s.Lines[i].Whole, s.Lines[i].Box = l.Box, lines.Amount{}
		}
	}
	return s.box != vocabulary.None && s.whole != vocabulary.NetWeight
}

// weightOfPallet reads weights that are on each line of their pallet once.
func (s *Settled) weightOfPallet() bool {
	if s.whole == vocabulary.None || !s.repeats(func(l Line) float64 { return l.Whole.Value }) {
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
func (s *Settled) repeats(of func(Line) float64) bool {
	several, differ := 0, 0
	for _, g := range s.groups() {
		if len(g) > 1 && !g[0].sameContents(g[1]) {
			several++
		}
		if of(g[0]) == 0 || slices.ContainsFunc(g, func(l Line) bool { return of(l) != of(g[0]) }) {
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

// grossOfPallet counts gross weights that are on each line of their pallet once, if that is
// nearer to the net weights.
func (s *Settled) grossOfPallet() {
	if !s.repeats(func(l Line) float64 { return l.Gross }) {
		return
	}
	lines, pallets, net := 0.0, 0.0, 0.0
	for _, g := range s.groups() {
		pallets += g[0].Gross
		for _, l := range g {
			lines, net = lines+l.Gross, net+l.net()
		}
	}
	if math.Abs(pallets-net) >= math.Abs(lines-net) {
		return
	}
	for _, g := range s.groups() {
		for i := range g[1:] {
			g[i+1].Gross = 0
		}
	}
}
