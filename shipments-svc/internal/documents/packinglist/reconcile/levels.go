package reconcile

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

// level is a way to read the weights of the lines.
type level struct {
	rule  string              // of its remark
	prior float64             // how likely it is beside the others, without any numbers
	read  func(*Settled) bool // reads the lines so; false: they cannot be read so
}

// levels are the ways to read the weights; the first is as the headings say.
var levels = []level{
	{read: func(*Settled) bool { return true }},
	{"weight_kind_assumed/of-box", -0.1, func(s *Settled) bool { return s.swap(false) }},
	{"weight_kind_assumed/of-line", -0.1, func(s *Settled) bool { return s.swap(true) }},
	{"weight_kind_assumed/of-pallet", -0.02, func(s *Settled) bool { return s.once(whole) }},
}

func whole(l *Line) *lines.Amount { return &l.Whole }

// leveled returns the lines in the way with which their numbers agree best.
func (s *Settled) leveled() (best *Settled) {
	for _, level := range levels {
		o := *s
		o.Lines, o.Remarks.All = slices.Clone(s.Lines), slices.Clone(s.Remarks.All)
		if !level.read(&o) {
			continue
		}
		if level.rule != "" {
			text, at := o.heading(o.used)
			o.Remarks.Add(level.rule, at, text)
		}
		o.share()
		o.gather()
		if o.Score += level.prior; best == nil || o.Score > best.Score+1e-9 {
			best = &o
		}
	}
	if !best.repeats(whole) {
		best.once(func(l *Line) *lines.Amount { return &l.Gross })
	}
	return best
}

// swap reads the weights of boxes as those of lines, or the reverse, in a list with weights
// of one kind.
func (s *Settled) swap(ofBoxes bool) bool {
	m := s.Read.Mapping
	if box, whole := m.WeightFields(); (box != vocabulary.None) != ofBoxes || (whole == vocabulary.None) != ofBoxes ||
		m.Cartons {
		return false
	}
	for i, l := range s.Lines {
		s.Lines[i].Box, s.Lines[i].Whole = l.Whole, l.Box
	}
	return true
}

// once counts an amount that is on each line of its pallet once.
func (s *Settled) once(of func(*Line) *lines.Amount) bool {
	if !s.repeats(of) {
		return false
	}
	for _, g := range s.groups() {
		for i := range g[1:] {
			*of(&g[i+1]) = lines.Amount{}
		}
	}
	return true
}

// repeats reports whether an amount is the same on all lines of nearly each pallet, of
// which one has several with different contents.
func (s *Settled) repeats(of func(*Line) *lines.Amount) bool {
	several, differ := 0, 0
	for _, g := range s.groups() {
		first := of(&g[0]).Value
		if len(g) > 1 && !g[0].sameContents(g[1]) {
			several++
		}
		if first == 0 || slices.ContainsFunc(g, func(l Line) bool { return of(&l).Value != first }) {
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
		boxes, all := boxesOf(g), 0.0
		if !lacks || first < 0 || boxes == 0 || len(g) == 1 {
			continue
		}
		shared := g[first].Whole
		for _, l := range g {
			all += l.Whole.Value
		}
		for i, l := range g {
			shared.Value, shared.OK = all*l.Boxes.Value/boxes, l.Boxes.OK
			g[i].Whole = shared
		}
	}
}
