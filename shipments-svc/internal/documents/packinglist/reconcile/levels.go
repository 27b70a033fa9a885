package reconcile

import (
	"fmt"
	"math"
	"regexp"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

// level is a way to read the weights of the lines.
type level struct {
	rule  string              // of its remark
	note  string              // for people, after the column
	prior float64             // how likely it is beside the others, without any numbers
	read  func(*Settled) bool // reads the lines so; false: they cannot be read so
}

// levels are the ways to read the weights; the first is as the headings say.
var levels = []level{
	{read: func(*Settled) bool { return true }},
	{"weight_kind_assumed/of-box", " as the weight of one box", -0.1, func(s *Settled) bool { return s.swap(false) }},
	{"weight_kind_assumed/of-line", " as the weight of a line", -0.1, func(s *Settled) bool { return s.swap(true) }},
	{"weight_kind_assumed/of-pallet", " as that of the pallet", -0.02, func(s *Settled) bool { return s.once(whole) }},
}

func whole(l *Line) *lines.Amount { return &l.Whole }

// leveled returns the lines in the way with which their numbers agree best.
func (s *Settled) leveled() (best *Settled) {
	var tried list.Trace
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
		o.Score += level.prior
		better := best == nil || o.Score > best.Score+1e-9
		if level.rule != "" {
			tried = tried.With(list.Step{
				Stage: list.ReconcileStage, Where: o.place(), Field: string(o.used), Rule: level.rule, Before: level.prior,
				After: o.Score, Kept: better, Note: level.note, Rival: &list.Rival{Where: o.place(), Score: best.Score},
			})
		}
		if better {
			best = &o
		}
	}
	best.Trace = tried
	if !best.repeats(whole) {
		best.once(func(l *Line) *lines.Amount { return &l.Gross })
	}
	return best
}

// swap reads the weights of boxes as those of lines, or the reverse, in a list with weights of one kind.
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
	repeats := s.repeats(of)
	for _, g := range s.groups() {
		for i := 1; i < len(g) && repeats; i++ {
			*of(&g[i]) = lines.Amount{}
		}
	}
	return repeats
}

// repeats reports whether an amount is the same on all lines of nearly each pallet, some with different contents.
func (s *Settled) repeats(of func(*Line) *lines.Amount) bool {
	several, differ := 0, 0
	for _, g := range s.groups() {
		first := of(&g[0]).Value
		if len(g) > 1 && g[0].contents() != g[1].contents() {
			several++
		}
		if first == 0 || slices.ContainsFunc(g, func(l Line) bool { return of(&l).Value != first }) {
			differ++
		}
	}
	return several > 0 && differ*10 <= several
}

// share gives the lines of a pallet that lack a weight their share of the weight that the others have.
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

// spread returns the lines with one for each pallet where a line is several. Its amounts are of each pallet or of all
// together, as the numbers agree best; where they do not decide, the list is refused.
func (s *Settled) spread() (*Settled, error) {
	spans, first, err := s.spans()
	if err != nil || first < 0 {
		return s, err
	}
	// The boxes of a heading for each pallet are of each; the weight is likelier that of all.
	const likelier = 0.1
	m, perPallet := s.Read.Mapping, vocabulary.Per|vocabulary.Pallet
	headed := m.Has(vocabulary.Boxes) && m.Column(vocabulary.Boxes).Meaning.Concepts&perPallet == perPallet
	ways := make([]*Settled, 2)
	for way, ofAll := range []bool{true, false} {
		if ways[way], err = s.spreadAs(spans, ofAll && !headed, ofAll); err != nil {
			return nil, err
		}
	}
	if headed {
		ways[0].Score += likelier
	}
	best, rivals := decide(ways)
	declared, boxes := float64(Declared([]*Settled{s}).Boxes), boxesOf(best.Lines)
	broken := func(l Line) bool { return l.Boxes.Value != math.Trunc(l.Boxes.Value) }
	if declared == 0 && rivals != nil || declared > 0 && declared != boxes || slices.ContainsFunc(best.Lines, broken) {
		return nil, refuseRange(s.Lines[first], "and the numbers of the list do not say how many boxes each has")
	}
	whose := "each"
	if boxes == boxesOf(s.Lines) {
		whose = "all"
	}
	for i, l := range s.Lines {
		if n := spans[i].Pallets(); n > 1 {
			best.Remarks.Add("pallet_range_spread", l.Place, n, l.Pallet, whose)
		}
	}
	return best, nil
}

// spreadAs returns a line for each pallet, whose amounts are those of the line, or shared
// by all its pallets. Labels with a pallet in common are refused.
func (s *Settled) spreadAs(spans []numbers.Span, boxes, weights bool) (*Settled, error) {
	o := *s
	o.Lines, o.Remarks.All = nil, slices.Clone(s.Remarks.All)
	of := map[string]string{} // the label of each pallet
	for i, l := range s.Lines {
		n := float64(spans[i].Pallets())
		if boxes {
			l.Boxes.Value /= n
		}
		if weights {
			l.Whole.Value, l.Gross.Value = l.Whole.Value/n, l.Gross.Value/n
		}
		for label := range spans[i].Labels() {
			l.Pallet = label
			if other, listed := of[l.key()]; listed && other != s.Lines[i].Pallet {
				return nil, refuseRange(s.Lines[i], fmt.Sprintf("of which %s is also in %q", label, other))
			}
			of[l.key()] = s.Lines[i].Pallet
			if o.Lines = append(o.Lines, l); len(o.Lines) > list.MaxPallets {
				return nil, tooMany(l)
			}
		}
	}
	o.gather()
	return &o, nil
}

func refuseRange(l Line, why string) error {
	detail := fmt.Sprintf("the pallet number %q is several pallets, %s; list each pallet in a row of its own", l.Pallet,
		why)
	return &Error{Code: PalletRange, Place: l.Place, Detail: detail}
}

// dashed matches labels that may be names, by both of their parts.
var dashed = regexp.MustCompile(`^(.*\d)\s*[-–—/,]\s*(\D*\d+)$`)

// spans parses the labels of lines, and returns the first line that is several pallets, or -1. Labels with dashes are
// names if each has a part in common with another: 1-1, 1-2. A label that cannot be parsed is refused.
func (s *Settled) spans() (all []numbers.Span, first int, err error) {
	known, labels := map[string]bool{}, map[string]int{} // labels, by their parts
	parts := func(l Line) (keys []string) {
		for i, part := range dashed.FindStringSubmatch(l.Pallet) {
			keys = append(keys, fmt.Sprint(i, part))
		}
		return keys
	}
	for _, l := range s.Lines {
		span := numbers.SpanOf(l.Pallet)
		if !span.Parsed() {
			return nil, -1, refuseRange(l, "whose labels cannot be parsed")
		}
		if all = append(all, span); !known[l.Pallet] {
			known[l.Pallet] = true
			for _, part := range parts(l) {
				labels[part]++
			}
		}
	}
	shared := func(part string) bool { return labels[part] > 1 }
	named := true
	for i, span := range all {
		named = named && (span.Pallets() == 1 || span.Certain || slices.ContainsFunc(parts(s.Lines[i]), shared))
	}
	for i, l := range s.Lines {
		if named && !all[i].Certain {
			all[i] = numbers.Span{Name: l.Pallet}
		}
	}
	return all, slices.IndexFunc(all, func(s numbers.Span) bool { return s.Pallets() > 1 }), nil
}
