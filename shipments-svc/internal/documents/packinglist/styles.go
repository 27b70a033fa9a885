package packinglist

import "github.com/quayside/quayside/shipments-svc/internal/documents/numbers"

// styles counts numbers by how they are written.
type styles [numbers.Neither + 1]int

// add counts texts. Where they count something, none is unclear.
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

// most returns the style that most numbers are clear about. mixed: they
// contradict each other; open: some can be read in two ways.
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
