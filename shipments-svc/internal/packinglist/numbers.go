package packinglist

import (
	"math"
	"strconv"
	"strings"
	"unicode"
)

// number is a number as it is written, with what stands around it.
type number struct {
	digits string // with its separators
	unit   string // folded; empty: none
}

// split takes a text such as "1.056,5 kg" apart. ok is false where the text
// is not one number.
func split(text string) (n number, ok bool) {
	text = strings.TrimSpace(text)
	start := strings.IndexFunc(text, unicode.IsDigit)
	if start < 0 {
		return n, false
	}
	if start > 0 && strings.ContainsRune(".,-", rune(text[start-1])) {
		start--
	}
	end := start
	for i, r := range text[start:] {
		if !separates(r) && (r < '0' || r > '9') && (i > 0 || r != '-') {
			break
		}
		end = start + i + len(string(r))
	}
	n.digits = strings.TrimFunc(text[start:end], func(r rune) bool { return r != '.' && r != ',' && r != '-' && !unicode.IsDigit(r) })
	before, after := fold(text[:start]), fold(text[end:])
	if n.unit = after; after == "" {
		n.unit = before
	} else if before != "" {
		return n, false
	}
	return n, !strings.ContainsFunc(n.unit, unicode.IsDigit)
}

// separates reports whether a character stands within numbers.
func separates(r rune) bool {
	return r == '.' || r == ',' || r == '\'' || r == '’' || r == ' ' || r == '\u00A0' || r == '\u202F' || r == '\u2009'
}

// style is how numbers are written.
type style byte

// The styles that separators can be a sign of.
const (
	unclear style = iota // 1,234 or 1.234
	point                // 1,234.5
	comma                // 1.234,5
	neither              // 1234
)

// styleOf returns what the separators of a number tell.
func styleOf(digits string) style {
	dot, com := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	switch {
	case dot < 0 && com < 0:
		return neither
	case dot >= 0 && com >= 0 && dot > com:
		return point
	case dot >= 0 && com >= 0:
		return comma
	}
	last, sep, decimal, thousands := max(dot, com), ".", point, comma
	if com >= 0 {
		sep, decimal, thousands = ",", comma, point
	}
	switch groups := strings.Split(digits, sep); {
	case len(groups) > 2:
		return thousands
	case len(digits)-last-1 != 3 || len(groups[0]) > 3 || strings.TrimLeft(groups[0], "-0") == "" || strings.ContainsAny(digits, " '’\u00A0\u202F\u2009"):
		return decimal
	}
	return unclear
}

// value returns the number that digits mean in a style.
func value(digits string, s style) (float64, bool) {
	if own := styleOf(digits); own == point || own == comma {
		s = own
	}
	thousands, decimal := ",", "."
	if s == comma {
		thousands, decimal = ".", ","
	}
	text := strings.ReplaceAll(digits, thousands, "")
	text = strings.Replace(text, decimal, ".", 1)
	text = strings.Map(func(r rune) rune {
		if separates(r) && r != '.' {
			return -1
		}
		return r
	}, text)
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// plainNumber returns the value of a text that is a number without a unit and
// whose style is clear.
func plainNumber(text string) (float64, bool) {
	n, ok := split(text)
	if !ok || n.unit != "" {
		return 0, false
	}
	return value(n.digits, point)
}

// thousands returns the style in which separators like those of a number set
// thousands apart: 1.056 of something that is counted is a thousand.
func thousands(digits string) style {
	if strings.Contains(digits, ".") {
		return comma
	}
	return point
}

// styles counts numbers by how they are written.
type styles [neither + 1]int

// add counts texts. Where they count something, none is unclear.
func (s *styles) add(texts []string, counting bool) {
	for _, text := range texts {
		if n, ok := split(text); ok {
			own := styleOf(n.digits)
			if own == unclear && counting {
				own = thousands(n.digits)
			}
			s[own]++
		}
	}
}

// most returns the style that most numbers are clear about. mixed: they
// contradict each other; open: some can be read in two ways.
func (s styles) most() (_ style, mixed, open bool) {
	open = s[unclear] > 0
	switch {
	case s[point] == 0 && s[comma] == 0:
		return unclear, false, open
	case s[comma] > s[point]:
		return comma, s[point] > 0, open
	default:
		return point, s[comma] > 0, open
	}
}

// grams are the weights of units, by their folded names.
var grams = map[string]float64{
	"kg": 1000, "kgs": 1000, "kilo": 1000, "kilos": 1000, "kilogram": 1000, "kilograms": 1000, "kilogramo": 1000, "kilogramos": 1000,
	"kilogramme": 1000, "kilogrammes": 1000, "quilo": 1000, "quilos": 1000, "quilograma": 1000, "quilogramas": 1000,
	"g": 1, "gr": 1, "grs": 1, "gram": 1, "grams": 1, "gramo": 1, "gramos": 1, "gramme": 1, "grammes": 1, "grama": 1, "gramas": 1,
	// The avoirdupois pound: International Yard and Pound Agreement, 1959.
	"lb": 453.59237, "lbs": 453.59237, "pound": 453.59237, "pounds": 453.59237, "libra": 453.59237, "libras": 453.59237, "livres": 453.59237,
	"t": 1_000_000, "mt": 1_000_000, "ton": 1_000_000, "tons": 1_000_000, "tonne": 1_000_000, "tonnes": 1_000_000, "toneladas": 1_000_000,
}

// unitIn returns the unit that a text names as one of its words, in grams; 0
// where it names none.
func unitIn(text string) float64 {
	for word := range strings.FieldsSeq(fold(text)) {
		if g, ok := grams[word]; ok && word != "t" {
			return g
		}
	}
	return 0
}
