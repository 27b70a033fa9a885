package reconcile

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// dashed matches labels that may be names, by both of their parts.
var dashed = regexp.MustCompile(`^(.*\d)\s*[-–—/,]\s*(\D*\d+)$`)

// spread replaces each line that is several pallets by a line for each. The
// number of boxes is of each pallet or of all together, according to the heading or
// the total; without either the list is refused.
func (s *Settled) spread() error {
	spans, several, err := s.spans()
	if err != nil || !several {
		return err
	}
	shared, err := s.sharedBoxes(spans)
	if err != nil {
		return err
	}
	weights := s.sharedWeights(spans, shared)
	var all []Line
	for i, l := range s.Lines {
		n := spans[i].Pallets()
		if n > 1 {
			kind := "each"
			if shared {
				kind = "all"
			}
			s.Remarks.Add(
				remarks.PalletRanges,
				l.Place,
				"the row is the %d pallets %s; its boxes were read as the boxes of %s of them",
				n,
				l.Pallet,
				kind,
			)
		}
		if shared {
			l.Boxes.Value /= float64(n)
		}
		if weights {
			l.Whole.Value /= float64(n)
			l.Gross /= float64(n)
		}
		for label := range spans[i].Labels() {
			l.Pallet = label
			if all = append(all, l); len(all) > shipments.MaxPallets {
				detail := fmt.Sprintf("the list has more than %d pallets", shipments.MaxPallets)
				return &Error{Code: TooManyPallets, Detail: detail, Place: l.Place}
			}
		}
	}
	s.Lines, s.Ranges = all, true
	return nil
}

func refuseRange(l Line, why string) error {
	return &Error{
		Code: PalletRange, Place: l.Place,
		Detail: fmt.Sprintf(
			"the pallet number %q is several pallets, %s; list each pallet in a row of its own",
			l.Pallet,
			why,
		),
	}
}

// spans parses the labels of lines. several is false if each is one pallet. Labels
// with dashes are names if each has a part in common with another: 1-1, 1-2. A label
// that cannot be parsed, or has a pallet in common with another, is refused.
func (s *Settled) spans() (all []numbers.Span, several bool, err error) {
	with := map[string]map[string]bool{} // labels with a part
	parts := func(text string) (of []map[string]bool) {
		for i, part := range dashed.FindStringSubmatch(text) {
			if key := fmt.Sprint(i, part); i > 0 {
				if with[key] == nil {
					with[key] = map[string]bool{}
				}
				of = append(of, with[key])
			}
		}
		return of
	}
	for _, l := range s.Lines {
		span := numbers.SpanOf(l.Pallet)
		if !span.Parsed() {
			return nil, false, refuseRange(l, "whose labels cannot be parsed")
		}
		several = several || span.Pallets() > 1
		for _, labels := range parts(l.Pallet) {
			labels[l.Pallet] = true
		}
		all = append(all, span)
	}
	if !several {
		return all, false, nil
	}
	names := true
	for i, span := range all {
		shared := slices.ContainsFunc(parts(s.Lines[i].Pallet), func(labels map[string]bool) bool { return len(labels) > 1 })
		names = names && (span.Pallets() == 1 || span.Certain || shared)
	}
	several = false
	for i, l := range s.Lines {
		if names && !all[i].Certain {
			all[i] = numbers.Span{Name: l.Pallet}
		}
		several = several || all[i].Pallets() > 1
	}
	return all, several, s.overlap(all, several)
}

// overlap refuses labels with a pallet in common.
func (s *Settled) overlap(all []numbers.Span, several bool) error {
	of := map[string]string{} // the label of each pallet
	for i, l := range s.Lines {
		if !several || len(of) > shipments.MaxPallets { // too many, which spread refuses
			return nil
		}
		for label := range all[i].Labels() {
			one := l
			one.Pallet = label
			other, listed := of[s.key(one)]
			if listed && other == l.Pallet {
				break // so are the others
			}
			if listed {
				return refuseRange(l, fmt.Sprintf("of which %s is also in %q", label, other))
			}
			of[s.key(one)] = l.Pallet
		}
	}
	return nil
}

// each reports whether the heading of an amount says that it is that of each pallet.
func (s *Settled) ofEach(f vocabulary.Field) bool {
	m := s.Read[0].Mapping
	if !m.Has(f) {
		return false
	}
	of, _ := vocabulary.Of(m.Column(f).Text)
	return of&vocabulary.Per != 0 && of&vocabulary.Pallet != 0
}

// sharedBoxes reports whether the boxes of a line are those of all its pallets.
func (s *Settled) sharedBoxes(spans []numbers.Span) (bool, error) {
	written, each, divides, heavy, full := 0.0, 0.0, true, false, true
	single := 0.0
	for i, l := range s.Lines {
		n := spans[i].Pallets()
		written += l.Boxes.Value
		each += l.Boxes.Value * float64(n)
		whole := l.weight() * l.Boxes.Value
		heavy = heavy || whole > float64(reference.HeaviestPallet) && whole/float64(n) <= float64(reference.HeaviestPallet)
		divides = divides && int(l.Boxes.Value)%n == 0
		if n == 1 {
			single = max(single, l.Boxes.Value)
		}
	}
	for i, l := range s.Lines {
		if n := spans[i].Pallets(); n > 1 {
			full = full && single > 0 && l.Boxes.Value == single*float64(n)
		}
	}
	i := slices.IndexFunc(spans, func(s numbers.Span) bool { return s.Pallets() > 1 })
	refuse := func(why string) error {
		return &Error{
			Code: PalletRange, Place: s.Lines[i].Place,
			Detail: fmt.Sprintf(
				"a row is several pallets, %q, and %s; list each pallet in a row of its own",
				s.Lines[i].Pallet,
				why,
			),
		}
	}
	total := 0
	for _, t := range s.Totals {
		total = max(total, t.Boxes)
	}
	perPallet := s.ofEach(vocabulary.Boxes)
	switch {
	case total > 0 && float64(total) == each, total == 0 && perPallet:
		return false, nil
	case total > 0 && float64(total) == written && !divides:
		return false, refuse("its boxes cannot be divided among them")
	case total > 0 && float64(total) == written && !perPallet:
		return true, nil
	case total > 0:
		return false, refuse("its boxes do not add up to the total")
	case (heavy || full) && !divides:
		return false, refuse("its boxes cannot be divided among them")
	case heavy, full:
		return true, nil
	default:
		return false, refuse("it is not clear whether its boxes are those of each")
	}
}

// sharedWeights reports whether the weight of a line is that of all its pallets: as the
// weights of boxes, the total, and the pallets with a row of their own show. By itself,
// the weight of a row is that of all that the row is.
func (s *Settled) sharedWeights(spans []numbers.Span, boxesShared bool) bool {
	if s.ofEach(s.at.whole) {
		return false
	}
	each, all, sumEach, sumAll := 0, 0, 0.0, 0.0
	var single []float64
	for i, l := range s.Lines {
		if spans[i].Pallets() == 1 && l.Boxes.OK && l.Whole.OK {
			single = append(single, l.Whole.Value/l.Boxes.Value)
		}
	}
	usual := median(single)
	for i, l := range s.Lines {
		n := float64(spans[i].Pallets())
		sumEach, sumAll = sumEach+l.Whole.Value*n, sumAll+l.Whole.Value
		if n == 1 || !l.Whole.OK || !l.Boxes.OK {
			continue
		}
		boxes := l.Boxes.Value // of one pallet
		if boxesShared {
			boxes /= n
		}
		want := l.Box.Value
		if want == 0 {
			want = usual
		}
		if want == 0 {
			continue
		}
		if math.Abs(l.Whole.Value/boxes-want) < math.Abs(l.Whole.Value/(boxes*n)-want) {
			each++
		} else {
			all++
		}
	}
	if net := float64(s.declared().NetWeight); net > 0 && near(net, sumEach) != near(net, sumAll) {
		return near(net, sumAll)
	}
	return all >= each
}

// heading returns the heading of a field.
func (s *Settled) heading(f vocabulary.Field) string {
	return strings.TrimSpace(s.Read[0].Mapping.Column(f).Text)
}

// headingPlace returns the place of the heading of a field.
func (s *Settled) headingPlace(f vocabulary.Field) tables.Place {
	t := s.Read[0].Table
	return t.At(t.From, s.Read[0].Mapping.At(f))
}
