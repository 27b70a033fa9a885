package packinglist

import "github.com/quayside/quayside/shipments-svc/internal/documents/numbers"

// styles counts numbers by style.
type styles [numbers.Neither + 1]int

// add counts the styles of texts. Counts are never unclear.
func (s *styles) add(texts []string, counting bool) {
	for _, text := range texts {
		if n, ok := numbers.Split(text); ok {
			own := numbers.StyleOf(n.Digits)
			if own == numbers.Unclear && counting {
				own = numbers.Thousands(n.Digits)
			}
			s[own]++
		}
	}
}

// most returns the most frequent unambiguous style. mixed: both occur; open: some
// numbers are ambiguous.
func (s styles) most() (_ numbers.Style, mixed, open bool) {
	open = s[numbers.Unclear] > 0
	switch {
	case s[numbers.Point] == 0 && s[numbers.Comma] == 0:
		return numbers.Unclear, false, open
	case s[numbers.Comma] > s[numbers.Point]:
		return numbers.Comma, s[numbers.Point] > 0, open
	default:
		return numbers.Point, s[numbers.Comma] > 0, open
	}
}
