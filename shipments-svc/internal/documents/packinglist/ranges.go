package packinglist

import (
	"fmt"
	"iter"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// PalletRange is the code of Unreadable for a row that is several pallets without
// the quantity of each.
const PalletRange = "pallet_range"

// span is what a label says: one pallet, or several: "P001 to P004", "5 & 6".
type span struct {
	name    string
	runs    []run // of the pallets; none: the label is the name of one
	certain bool  // not a name: a dash, a slash or a comma between numbers may be a part of one
}

// run is consecutive pallet numbers: a prefix and a number of at least width digits.
type run struct {
	prefix          string
	width, from, to int
}

const (
	labelText = `(\pL*[ .-]?)(\d{1,9})`
	andWords  = `\s+(?:and|y|e|et|en|und|ve)\s+`
	toWords   = `\s+(?:to|thru|through|until|a|al|au|à|ate|até|hasta|tot|bis)\s+`
)

var (
	andText   = regexp.MustCompile(`(?i)\s*[,;&+/]\s*|` + andWords)
	rangeText = regexp.MustCompile(`(?i)^` + labelText + `(?:(?:\s*(?:[-–—]|\.{2,}|…)\s*|` + toWords + `)` + labelText + `)?$`)
	// severalText matches labels of several pallets, whether or not they can be parsed.
	severalText = regexp.MustCompile(`(?i)\d\)?(?:\s*[&+;]\s*|,\s+|\s*(?:\.{2,}|…)\s*|` + andWords + `|` + toWords + `)` + labelText)
	// dashed matches labels that may be names, by both of their parts.
	dashed    = regexp.MustCompile(`^(.*\d)\s*[-–—/,]\s*(\D*\d+)$`)
	thousands = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)
)

// spanOf parses a label. ok is false for several pallets that cannot be parsed.
func spanOf(text string) (s span, ok bool) {
	text = strings.TrimSpace(text)
	name, certain := span{name: text}, severalText.MatchString(text)
	s.certain = certain
	prefix, last, pallets := "", 0, 0
	for i, part := range andText.Split(text, -1) {
		m := rangeText.FindStringSubmatch(part)
		if m == nil || i > 0 && m[1] != "" && m[1] != prefix || m[3] != "" && m[3] != m[1] || thousands.MatchString(text) {
			return name, !certain
		}
		if i == 0 {
			prefix = m[1]
		}
		from, _ := strconv.Atoi(m[2])
		to := from
		if m[4] != "" {
			to, _ = strconv.Atoi(m[4])
		}
		if from > to || pallets+to-from >= shipments.MaxPallets || i > 0 && !certain && from != last+1 { // 1/20
			return name, !certain
		}
		s.runs = append(s.runs, run{prefix, len(m[2]), from, to})
		last, pallets = to, pallets+to-from+1
	}
	return s, true
}

// pallets returns the number of pallets of a label.
func (s span) pallets() (n int) {
	for _, r := range s.runs {
		n += r.to - r.from + 1
	}
	return max(n, 1)
}

// labels returns the label of each pallet.
func (s span) labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(s.runs) == 0 {
			yield(s.name)
			return
		}
		for _, r := range s.runs {
			for n := r.from; n <= r.to; n++ {
				if !yield(fmt.Sprintf("%s%0*d", r.prefix, r.width, n)) {
					return
				}
			}
		}
	}
}

// expandRanges replaces each line that is several pallets by a line for each. The
// number of boxes is of each pallet or of all together, according to the heading or
// the total; without either the list is refused.
func (r *reader) expandRanges(s *sheet, first int) error {
	lines := r.lines[first:]
	spans, several, err := spansOf(lines)
	if err != nil || !several {
		return err
	}
	whole, err := r.sharedBoxes(s, lines, spans)
	if err != nil {
		return err
	}
	var all []line
	for i, l := range lines {
		n := spans[i].pallets()
		if n > 1 {
			kind := "each"
			if whole {
				kind = "all"
			}
			r.remark(PalletRanges, l.place, "the row is the %d pallets %s; its boxes were read as the boxes of %s of them", n, l.pallet.text, kind)
		}
		for label := range spans[i].labels() {
			each := l
			each.pallet.text = label
			if whole {
				each.boxes.value /= float64(n)
				each.whole.value /= float64(n)
			}
			all = append(all, each)
			if len(all) > shipments.MaxPallets {
				return &Unreadable{Code: TooManyPallets, Detail: fmt.Sprintf("the list has more than %d pallets", shipments.MaxPallets), Place: l.place}
			}
		}
	}
	r.lines = append(r.lines[:first:first], all...)
	s.ranges = true
	return nil
}

// spansOf parses the labels of lines. several is false if each is one pallet. Labels
// with dashes are names if each has a part in common with another: 1-1, 1-2. A label
// that cannot be parsed, or has a pallet in common with another, is refused.
func spansOf(lines []line) (all []span, several bool, err error) {
	refuse := func(l line, why string) error {
		return &Unreadable{Code: PalletRange, Detail: fmt.Sprintf("the pallet number %q is several pallets, %s; list each pallet in a row of its own", l.pallet.text, why), Place: l.place}
	}
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
	for _, l := range lines {
		s, ok := spanOf(l.pallet.text)
		if !ok {
			return nil, false, refuse(l, "whose labels cannot be parsed")
		}
		for _, labels := range parts(l.pallet.text) {
			labels[l.pallet.text] = true
		}
		all = append(all, s)
	}
	names := true
	for i, s := range all {
		shared := slices.ContainsFunc(parts(lines[i].pallet.text), func(labels map[string]bool) bool { return len(labels) > 1 })
		names = names && (s.pallets() == 1 || s.certain || shared)
	}
	of := map[string]string{} // the label of each pallet
	for i, l := range lines {
		if names && !all[i].certain {
			all[i] = span{name: l.pallet.text}
		}
		several = several || all[i].pallets() > 1
	}
	for i, l := range lines {
		if !several || len(of) > shipments.MaxPallets { // too many, which expandRanges refuses
			break
		}
		for label := range all[i].labels() {
			other, listed := of[strings.ToUpper(label)]
			if listed && other == l.pallet.text {
				break // so are the others
			}
			if listed {
				return nil, false, refuse(l, fmt.Sprintf("of which %s is also in %q", label, other))
			}
			of[strings.ToUpper(label)] = l.pallet.text
		}
	}
	return all, several, nil
}

// sharedBoxes reports whether the boxes of a line are those of all its pallets.
func (r *reader) sharedBoxes(s *sheet, lines []line, spans []span) (bool, error) {
	const mostPallet = 1_500_000.0 // grams, the safe working load of a pallet
	written, each, divides, heavy := 0.0, 0.0, true, false
	for i, l := range lines {
		n := spans[i].pallets()
		written += l.boxes.value
		each += l.boxes.value * float64(n)
		heavy = heavy || l.weight()*l.boxes.value > mostPallet && l.weight()*l.boxes.value/float64(n) <= mostPallet
		divides = divides && int(l.boxes.value)%n == 0
	}
	i := slices.IndexFunc(spans, func(s span) bool { return s.pallets() > 1 })
	at := lines[i].place
	refuse := func(why string) error {
		return &Unreadable{Code: PalletRange, Detail: fmt.Sprintf("a row is several pallets, %q, and %s; list each pallet in a row of its own", lines[i].pallet.text, why), Place: at}
	}
	total := 0
	for _, t := range r.totals {
		if t.place.Sheet == s.Name {
			total = max(total, t.Boxes)
		}
	}
	perPallet := false
	if s.header.has(boxesField) {
		concepts, _ := conceptsOf(s.heading(boxesField))
		perPallet = concepts&perWord != 0 && concepts&palletWord != 0
	}
	switch {
	case float64(total) == each && total > 0 || total == 0 && perPallet:
		return false, nil
	case float64(total) == written && total > 0 && !divides:
		return false, refuse("its boxes cannot be divided among them")
	case float64(total) == written && total > 0 && !perPallet:
		return true, nil
	case total > 0:
		return false, refuse("its boxes do not add up to the total")
	case heavy && !divides:
		return false, refuse("its boxes cannot be divided among them")
	case heavy:
		return true, nil
	default:
		return false, refuse("it is not clear whether its boxes are those of each")
	}
}
