// Package numbers parses numbers of documents: "1.056,5", "1 056.50", "22,176.000
// KGS". It is the only parser for all documents, so that a number has the same
// value in each.
//
// Guarantees: no text panics; values are finite. Ambiguous numbers are not decided
// here: StyleOf returns Unclear, and Readings returns both values.
//
// It imports the standard library only.
package numbers

import (
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Number is the text of a number with its unit.
type Number struct {
	Digits string // with separators
	Unit   string // the words after or before it, in lower case; empty: none
}

// Split splits a text such as "1.056,5 kg" into number and unit. ok is false unless
// the text is one number with at most one unit: "(80)", "80-", "80%" and "<80" are
// none. Footnote marks, such as (*), are ignored.
func Split(text string) (n Number, ok bool) {
	text = strings.TrimSpace(text)
	start, end := span(text)
	if start < 0 {
		return n, false
	}
	n.Digits = trimmed(text[start:end])
	before, after := words(text[:start]), words(text[end:])
	if n.Unit = after; after == "" {
		n.Unit = before
	} else if before != "" {
		return n, false
	}
	return n, unmarked(text[:start]) && unmarked(text[end:]) && !strings.ContainsFunc(n.Unit, unicode.IsDigit)
}

// unmarked reports whether a text before or after a number has only words, full
// stops, footnote marks and pairs of brackets.
func unmarked(text string) bool {
	open := 0
	for _, r := range text {
		switch {
		case r == '(' || r == '[':
			open++
		case r == ')' || r == ']':
			open--
		case !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) && !unicode.IsDigit(r) &&
			!unicode.IsSpace(r) && !strings.ContainsRune(".:/*†‡", r):
			return false
		}
		if open < 0 {
			return false
		}
	}
	return open == 0
}

// span returns the bounds of the first number of a text; start is -1 without one.
func span(text string) (start, end int) {
	start = strings.IndexFunc(text, unicode.IsDigit)
	if start < 0 {
		return -1, 0
	}
	if start > 0 && strings.ContainsRune(".,-", rune(text[start-1])) {
		start--
	}
	end = start
	for i, r := range text[start:] {
		if !separates(r) && (r < '0' || r > '9') && (i > 0 || r != '-') {
			break
		}
		end = start + i + utf8.RuneLen(r)
	}
	return start, end
}

// trimmed removes the spaces after a number.
func trimmed(digits string) string {
	return strings.TrimFunc(digits, func(r rune) bool { return r != '.' && r != ',' && r != '-' && !unicode.IsDigit(r) })
}

// words returns the words of a text in lower case.
func words(text string) string {
	return strings.Join(
		strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }),
		" ",
	)
}

// separates reports whether a character is a separator.
func separates(r rune) bool { return strings.ContainsRune(".,'’ \u00A0\u202F\u2009", r) }

// Style is the notation of a number.
type Style byte

// Styles.
const (
	Unclear Style = iota // 1,234 or 1.234
	Point                // 1,234.5
	Comma                // 1.234,5
	Neither              // 1234
)

// StyleOf returns the style of a number by its separators. A single separator before
// exactly three digits is Unclear.
func StyleOf(digits string) Style {
	point, comma := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	if point < 0 && comma < 0 {
		return Neither
	}
	if point >= 0 && comma >= 0 {
		if point > comma {
			return Point
		}
		return Comma
	}
	separator, decimal, thousands := ".", Point, Comma
	if comma >= 0 {
		separator, decimal, thousands = ",", Comma, Point
	}
	groups := strings.Split(digits, separator)
	if len(groups) > 2 {
		return thousands
	}
	if len(groups[1]) != 3 || len(groups[0]) > 3 || strings.TrimLeft(groups[0], "-0") == "" ||
		strings.ContainsAny(digits, " '’\u00A0\u202F\u2009") {
		return decimal
	}
	return Unclear
}

// Value parses digits in a style. A style of their own takes precedence.
func Value(digits string, s Style) (float64, bool) {
	if own := StyleOf(digits); own == Point || own == Comma {
		s = own
	}
	thousands, decimal := ",", "."
	if s == Comma {
		thousands, decimal = ".", ","
	}
	whole, fraction, _ := strings.Cut(digits, decimal)
	if !grouped(whole) || strings.ContainsFunc(strings.TrimSpace(fraction), separates) {
		return 0, false
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

// grouped reports whether the separators of a whole number are between groups: the
// last of three digits, the others of two, as in India, or three.
func grouped(whole string) bool {
	groups := strings.FieldsFunc(strings.TrimPrefix(whole, "-"), separates)
	for i, group := range groups[min(1, len(groups)):] {
		if last := i == len(groups)-2; len(group) != 3 && (last || len(group) != 2) {
			return false
		}
	}
	return true
}

// Thousands returns the style in which the separator of a number separates
// thousands, as in 1.056 boxes.
func Thousands(digits string) Style {
	if strings.Contains(digits, ".") {
		return Comma
	}
	return Point
}

// decimals returns the style in which it separates decimals.
func decimals(digits string) Style {
	if Thousands(digits) == Comma {
		return Point
	}
	return Comma
}

// Readings returns the possible values of the first number of a text such as
// "22,176.000 KGS" or "1.584 cartons of avocados", the more likely first: two if the
// number is ambiguous. Totals in kilograms more likely have thousands than three
// decimals, totals in tonnes the reverse. Weights are in kilograms. It returns nil
// without a number near the beginning.
func Readings(text string) (values []float64) {
	const near = 40 // bytes before the number
	start, end := span(text)
	if start < 0 || start > near {
		return nil
	}
	digits := trimmed(spaced(text[start:end]))
	in, styles := 1.0, []Style{Thousands(digits)}
	unit, _, _ := strings.Cut(words(text[end:]), " ")
	if g, ok := Grams[unit]; ok {
		in = g / 1000
	}
	if StyleOf(digits) == Unclear {
		styles = []Style{Thousands(digits), decimals(digits)}
		if in == 1000 {
			styles[0], styles[1] = styles[1], styles[0]
		}
	}
	for _, s := range styles {
		if v, ok := Value(digits, s); ok {
			values = append(values, v*in)
		}
	}
	return values
}

// spaced ends digits at a space that does not separate thousands: "12 x", "4 500
// 6".
func spaced(digits string) string {
	fields := strings.FieldsFunc(digits, unicode.IsSpace)
	if len(fields) == 0 {
		return digits
	}
	text := fields[0]
	for _, f := range fields[1:] {
		if whole, _, _ := strings.Cut(strings.ReplaceAll(f, ",", "."), "."); len(whole) != 3 ||
			strings.ContainsAny(text, ".,") {
			break
		}
		text += " " + f
	}
	return text
}

// Grams has the weights of units in grams, by name in lower case.
var Grams = map[string]float64{
	"kg": 1000, "kgs": 1000, "kilo": 1000, "kilos": 1000, "kilogram": 1000, "kilograms": 1000,
	"kilogramo": 1000, "kilogramos": 1000,
	"kilogramme": 1000, "kilogrammes": 1000, "quilo": 1000, "quilos": 1000, "quilograma": 1000, "quilogramas": 1000,
	"g": 1, "gr": 1, "grs": 1, "gram": 1, "grams": 1, "gramo": 1, "gramos": 1, "gramme": 1, "grammes": 1,
	"grama": 1, "gramas": 1,
	// The avoirdupois pound: International Yard and Pound Agreement, 1959.
	"lb": 453.59237, "lbs": 453.59237, "pound": 453.59237, "pounds": 453.59237, "libra": 453.59237,
	"libras": 453.59237, "livres": 453.59237,
	"t": 1_000_000, "mt": 1_000_000, "tm": 1_000_000, "ton": 1_000_000, "tons": 1_000_000, "tonne": 1_000_000,
	"tonnes": 1_000_000, "tonelada": 1_000_000, "toneladas": 1_000_000,
}
