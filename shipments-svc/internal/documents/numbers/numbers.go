// Package numbers reads numbers as people write them in documents: "1.056,5",
// "1 056.50", "22,176.000 KGS". All documents are read by it, so that a number
// means the same on each of them.
//
// Guarantees: whatever the text, nothing panics, and a value that is returned
// is finite. A number that can be read in two ways is never decided here:
// StyleOf returns Unclear for it, and Readings returns both values.
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

// Number is a number as it is written, with what stands around it.
type Number struct {
	Digits string // with its separators
	Unit   string // the words after or else before it, in lower case; empty: none
}

// Split takes a text such as "1.056,5 kg" apart. ok is false where the text is
// not one number with at most one unit. Marks of a footnote, such as (*), are
// no unit.
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
	return n, !strings.ContainsFunc(n.Unit, unicode.IsDigit)
}

// span returns where the first number of a text begins and ends; -1 where
// there is none.
func span(text string) (start, end int) {
	start = strings.IndexFunc(text, unicode.IsDigit)
	if start < 0 {
		return -1, -1
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

// trimmed takes the spaces off that follow a number.
func trimmed(digits string) string {
	return strings.TrimFunc(digits, func(r rune) bool { return r != '.' && r != ',' && r != '-' && !unicode.IsDigit(r) })
}

// words returns the words of a text in lower case.
func words(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }), " ")
}

// separates reports whether a character stands within numbers.
func separates(r rune) bool { return strings.ContainsRune(".,'’ \u00A0\u202F\u2009", r) }

// Style is how numbers are written.
type Style byte

// The styles that separators can be a sign of.
const (
	Unclear Style = iota // 1,234 or 1.234
	Point                // 1,234.5
	Comma                // 1.234,5
	Neither              // 1234
)

// StyleOf returns what the separators of a number tell. A single separator
// before exactly three digits tells nothing.
func StyleOf(digits string) Style {
	dot, com := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	switch {
	case dot < 0 && com < 0:
		return Neither
	case dot >= 0 && com >= 0 && dot > com:
		return Point
	case dot >= 0 && com >= 0:
		return Comma
	}
	last, sep, decimal, thousands := max(dot, com), ".", Point, Comma
	if com >= 0 {
		sep, decimal, thousands = ",", Comma, Point
	}
	switch groups := strings.Split(digits, sep); {
	case len(groups) > 2:
		return thousands
	case len(digits)-last-1 != 3 || len(groups[0]) > 3 || strings.TrimLeft(groups[0], "-0") == "" || strings.ContainsAny(digits, " '’\u00A0\u202F\u2009"):
		return decimal
	}
	return Unclear
}

// Value returns the number that digits mean in a style. Where they tell their
// own style, that counts.
func Value(digits string, s Style) (float64, bool) {
	if own := StyleOf(digits); own == Point || own == Comma {
		s = own
	}
	thousands, decimal := ",", "."
	if s == Comma {
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

// Thousands returns the style in which separators like those of a number set
// thousands apart: 1.056 of something that is counted is a thousand.
func Thousands(digits string) Style {
	if strings.Contains(digits, ".") {
		return Comma
	}
	return Point
}

// decimals returns the style in which they set decimals apart.
func decimals(digits string) Style {
	if Thousands(digits) == Comma {
		return Point
	}
	return Comma
}

// Readings returns what the first number of a text such as "22,176.000 KGS" or
// "1.584 cartons of avocados" can mean, the likelier first: two values where
// its separator can set thousands or decimals apart. Of a whole shipment, a
// number in kilograms has thousands rather than three decimals, one in tonnes
// the other way round. A value with a unit of weight is in kilograms. There is
// none where the text has no number near its beginning.
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

// spaced cuts digits off where a space in them sets no thousands apart: "12 x"
// or "4 500 6".
func spaced(digits string) string {
	fields := strings.FieldsFunc(digits, unicode.IsSpace)
	if len(fields) == 0 {
		return digits
	}
	text := fields[0]
	for _, f := range fields[1:] {
		if whole, _, _ := strings.Cut(strings.ReplaceAll(f, ",", "."), "."); len(whole) != 3 || strings.ContainsAny(text, ".,") {
			break
		}
		text += " " + f
	}
	return text
}

// Grams are the weights of units in grams, by their names in lower case.
var Grams = map[string]float64{
	"kg": 1000, "kgs": 1000, "kilo": 1000, "kilos": 1000, "kilogram": 1000, "kilograms": 1000, "kilogramo": 1000, "kilogramos": 1000,
	"kilogramme": 1000, "kilogrammes": 1000, "quilo": 1000, "quilos": 1000, "quilograma": 1000, "quilogramas": 1000,
	"g": 1, "gr": 1, "grs": 1, "gram": 1, "grams": 1, "gramo": 1, "gramos": 1, "gramme": 1, "grammes": 1, "grama": 1, "gramas": 1,
	// The avoirdupois pound: International Yard and Pound Agreement, 1959.
	"lb": 453.59237, "lbs": 453.59237, "pound": 453.59237, "pounds": 453.59237, "libra": 453.59237, "libras": 453.59237, "livres": 453.59237,
	"t": 1_000_000, "mt": 1_000_000, "ton": 1_000_000, "tons": 1_000_000, "tonne": 1_000_000, "tonnes": 1_000_000, "tonelada": 1_000_000, "toneladas": 1_000_000,
}
