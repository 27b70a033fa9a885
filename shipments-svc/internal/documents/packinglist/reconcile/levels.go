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
	boxLevels = []level{
		asHeaded,
		{"", 0.3, (*Settled).withoutPalletTotals},
	}
	weightLevels = []level{
		asHeaded,
		{"weight_kind_assumed/of-box", -0.1, func(s *Settled) bool { return s.swap(false) }},
		{"weight_kind_assumed/of-line", -0.1, func(s *Settled) bool { return s.swap(true) }},
		{"weight_kind_assumed/of-pallet", -0.02, func(s *Settled) bool { return s.once(whole) }},
	}
)

func whole(l *Line) *lines.Amount { return &l.Whole }

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
			o.gather()
			o.Score += b.prior + w.prior
			if best == nil || o.Score > best.Score+1e-9 {
				best = &o
			}
		}
	}
	if !best.repeats(whole) {
		best.once(func(l *Line) *lines.Amount { return &l.Gross })
	}
	return best
}

// withoutPalletTotals drops the first line of each pallet with several, if it has the boxes
// of the others together, and is no line by its contents: it lacks what all others have, or
// several such lines have a calibre of a produce that no other line has.
func (s *Settled) withoutPalletTotals() bool {
	totals, others, bare := []Line(nil), []Line(nil), true
	packed := map[[2]string]bool{}
	for _, g := range s.groups() {
		if len(g) > 2 && g[0].Boxes.OK {
			if g[0].Boxes.Value != boxesOf(g[1:]) {
				return false
			}
			totals, bare = append(totals, g[0]), bare && lacks(g)
			g = g[1:]
		}
		others = append(others, g...)
	}
	for _, l := range others {
		packed[[2]string{l.Produce.Value, l.Calibre.Value}] = true
	}
	known := func(l Line) bool { return packed[[2]string{l.Produce.Value, l.Calibre.Value}] }
	if len(totals) == 0 || s.Read[0].Mapping.Cartons || !bare && (len(totals) == 1 || slices.ContainsFunc(totals, known)) {
		return false
	}
	s.Lines = others
	return true
}

// lacks reports whether the first line of a pallet lacks a value that all others have.
func lacks(g []Line) bool {
	values := func(l Line) []string {
		all := []string{l.Produce.Value, l.Calibre.Value, l.Line.Box.Text, l.Net.Text}
		for _, text := range l.Also {
			all = append(all, text.Value)
		}
		return all
	}
	for i, own := range values(g[0]) {
		if own == "" && !slices.ContainsFunc(g[1:], func(l Line) bool { return values(l)[i] == "" }) {
			return true
		}
	}
	return false
}

// swap reads the weights of boxes as those of lines, or the reverse, in a list with weights
// of one kind.
func (s *Settled) swap(ofBoxes bool) bool {
	m := s.Read[0].Mapping
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
