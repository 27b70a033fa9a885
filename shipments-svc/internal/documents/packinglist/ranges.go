package packinglist

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// PalletRange is the code of Unreadable for a row that is several pallets without
// the quantity of each.
const PalletRange = "pallet_range"

// span is a range of pallet numbers: P001 to P004.
type span struct {
	prefix   string
	from, to int
	width    int // digits of the first number, with leading zeros
}

// rangeText matches a range of pallets: "1-2", "P001 - P004", "3 to 5".
var rangeText = regexp.MustCompile(`^(\pL*[ .]?)(\d{1,6})\s*(?:[-–—]|\b(?:to|a|al|au|à|ate|até|tot)\b)\s*(\pL*[ .]?)(\d{1,6})$`)

// rangeOf parses a range.
func rangeOf(text string) (s span, ok bool) {
	m := rangeText.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil || m[3] != "" && m[3] != m[1] {
		return s, false
	}
	s.prefix, s.width = m[1], len(m[2])
	s.from, _ = strconv.Atoi(m[2])
	s.to, _ = strconv.Atoi(m[4])
	return s, s.from <= s.to && s.to-s.from < shipments.MaxPallets
}

// pallets returns the number of pallets in a range.
func (s span) pallets() int { return s.to - s.from + 1 }

// expandRanges replaces each line that is several pallets by a line for each. The
// pallet numbers of a column are ranges if each begins after the previous one. The
// number of boxes is of each pallet or of all together, according to the heading or
// the total; without either the list is refused.
func (r *reader) expandRanges(s *sheet, first int) error {
	lines := r.lines[first:]
	spans, ok := spansOf(lines)
	if !ok {
		return nil
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
		for p := range n {
			each := l
			if _, isRange := rangeOf(l.pallet.text); isRange {
				each.pallet.text = fmt.Sprintf("%s%0*d", spans[i].prefix, spans[i].width, spans[i].from+p)
			}
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

// spansOf parses the pallet numbers of lines as ranges, each after the previous.
func spansOf(lines []line) (all []span, ok bool) {
	several := false
	for i, l := range lines {
		s, isRange := rangeOf(l.pallet.text)
		if !isRange {
			single, isOne := rangeOf(l.pallet.text + "-" + l.pallet.text)
			if s = single; !isOne {
				return nil, false
			}
		}
		if i > 0 && l.pallet.text == lines[i-1].pallet.text {
			all = append(all, all[i-1])
			continue
		}
		if i > 0 && (s.from != all[i-1].to+1 || s.prefix != all[i-1].prefix) {
			return nil, false
		}
		several = several || s.pallets() > 1
		all = append(all, s)
	}
	return all, several && len(all) > 0
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
			total = max(total, t.boxes)
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
