// Package numbers parses numbers of documents: "1.056,5", "1 056.50", "22,176.000 KGS". It is the only parser for all
// documents, so that a number has the same value in each.
//
// Guarantees: no text panics; values are finite. Ambiguous numbers are not decided here: StyleOf returns Unclear, and
// Readings returns both values.
//
// It imports the standard library only.
package numbers

import (
	"cmp"
	_ "embed"
	"fmt"
	"iter"
	"math"
	"regexp"
	"slices"
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

// Split splits a text such as "1.056,5 kg" into number and unit. ok is false unless the text is one number with at most
// one unit: "(80)", "80-", "80%" and "<80" are none. Footnote marks, such as (*), are ignored.
func Split(text string) (n Number, ok bool) {
	text = strings.TrimSpace(text)
	start := strings.IndexFunc(text, unicode.IsDigit)
	if start < 0 {
		return n, false
	}
	if start > 0 && strings.IndexByte(".,-", text[start-1]) >= 0 {
		start--
	}
	end := start + 1
	for i, r := range text[start:] {
		if i > 0 && (r < '0' || r > '9') && !separates(r) {
			break
		}
		end = start + i + utf8.RuneLen(r)
	}
	n.Digits = strings.TrimRightFunc(text[start:end], func(r rune) bool { return separates(r) && r != '.' && r != ',' })
	before, after := words(text[:start]), words(text[end:])
	n.Unit = cmp.Or(after, before)
	return n, (before == "" || after == "") && unmarked(text[:start]) && unmarked(text[end:]) &&
		!strings.ContainsFunc(n.Unit, unicode.IsDigit)
}

// unmarked reports whether a text beside a number has only words, full stops, footnote marks and pairs of brackets.
func unmarked(text string) bool {
	return strings.Count(text, "(") == strings.Count(text, ")") && strings.Count(text, "[") == strings.Count(text, "]") &&
		!strings.ContainsFunc(text, func(r rune) bool {
			return !unicode.In(r, unicode.L, unicode.M, unicode.Nd) && !unicode.IsSpace(r) &&
				!strings.ContainsRune(".:/*†‡()[]", r)
		})
}

// words returns the words of a text in lower case.
func words(text string) string {
	return strings.Join(
		strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }),
		" ",
	)
}

// separators are the characters that separate thousands or decimals, spaces those that separate only thousands.
const (
	separators = ".," + spaces
	spaces     = " '’\u00A0\u202F\u2009"
)

func separates(r rune) bool { return strings.ContainsRune(separators, r) }

// Style is the notation of a number.
type Style byte

// Styles.
const (
	Unclear Style = iota // 1,234 or 1.234
	Point                // 1,234.5
	Comma                // 1.234,5
	Neither              // 1234
)

// StyleOf returns the style of a number by its separators. A single separator before exactly three digits is Unclear.
func StyleOf(digits string) Style {
	point, comma := strings.LastIndexByte(digits, '.'), strings.LastIndexByte(digits, ',')
	last, decimal, thousands := point, Point, Comma
	if comma > point {
		last, decimal, thousands = comma, Comma, Point
	}
	switch {
	case last < 0:
		return Neither
	case point >= 0 && comma >= 0:
		return decimal
	case strings.Count(digits, digits[last:last+1]) > 1:
		return thousands
	}
	whole, group := digits[:last], digits[last+1:]
	if len(whole) <= 3 && strings.Trim(whole, "-0") != "" && len(group) == 3 && !strings.ContainsAny(digits, spaces) {
		return Unclear
	}
	return decimal
}

// Value parses digits in a style. A style of their own takes precedence.
func Value(digits string, s Style) (float64, bool) {
	if own := StyleOf(digits); own == Point || own == Comma {
		s = own
	}
	decimal := "."
	if s == Comma {
		decimal = ","
	}
	whole, fraction, _ := strings.Cut(digits, decimal)
	if !grouped(whole) || strings.ContainsFunc(strings.TrimSpace(fraction), separates) {
		return 0, false
	}
	whole = strings.Map(func(r rune) rune {
		if separates(r) {
			return -1
		}
		return r
	}, whole)
	v, err := strconv.ParseFloat(whole+"."+strings.TrimSpace(fraction), 64)
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

// Thousands returns the style in which the separator of a number separates thousands, as in 1.056 boxes.
func Thousands(digits string) Style {
	if strings.Contains(digits, ".") {
		return Comma
	}
	return Point
}

// readingText matches a number near the beginning of a text, with spaces before three digits, and the word after it.
var readingText = regexp.MustCompile(
	`^\D{0,40}?([.,-]?\d+(?:[ \x{A0}\x{202F}\x{2009}]\d{3}\b)*(?:[.,'’]\d+)*)[^\pL\pN]*(\pL*)`,
)

// Readings returns the possible values of the first number of a text such as "22,176.000 KGS" or "1.584 cartons of
// avocados", the more likely first: two if the number is ambiguous. Totals in kilograms more likely have thousands than
// three decimals, totals in tonnes the reverse. Weights are in kilograms. It returns nil without a number near the
// beginning.
func Readings(text string) (values []float64) {
	m := readingText.FindStringSubmatch(text)
	if m == nil {
		return nil
	}
	in := cmp.Or(Grams[strings.ToLower(m[2])], 1000) / 1000
	styles := []Style{Thousands(m[1])}
	if StyleOf(m[1]) == Unclear {
		styles = append(styles, map[Style]Style{Point: Comma, Comma: Point}[styles[0]])
		if in == 1000 {
			slices.Reverse(styles)
		}
	}
	for _, s := range styles {
		if v, ok := Value(m[1], s); ok {
			values = append(values, v*in)
		}
	}
	return values
}

//go:embed units.txt
var units string

// Grams has the weights of units in grams, by name in lower case.
var Grams = func() map[string]float64 {
	all := map[string]float64{}
	for line := range strings.Lines(units) {
		weight, names, _ := strings.Cut(line, ":")
		grams, _ := strconv.ParseFloat(weight, 64) // a comment has none
		for name := range strings.FieldsSeq(names) {
			all[name] = grams
		}
	}
	return all
}()

// Span is what a label says: one name, or several numbers: "P001 to P004", "5 & 6".
type Span struct {
	Name    string
	Certain bool  // not a name: a dash, a slash or a comma between numbers may be a part of one
	runs    []run // none: the label is one name
}

// run is consecutive numbers: a prefix and a number of at least width digits.
type run struct {
	prefix          string
	width, from, to int
}

// maxSpan is the maximum of numbers of a label.
const maxSpan = 10_000

const (
	labelText = `(\pL*[ .-]?)(\d{1,9})`
	andWords  = `\s+(?:and|y|e|et|en|und|ve)\s+`
	toWords   = `\s+(?:to|thru|through|until|a|al|au|à|ate|até|hasta|tot|bis)\s+`
)

var (
	andText   = regexp.MustCompile(`(?i)\s*[,;&+/]\s*|` + andWords)
	rangeText = regexp.MustCompile(
		`(?i)^` + labelText + `(?:(?:\s*(?:[-–—]|\.{2,}|…)\s*|` + toWords + `)` + labelText + `)?$`,
	)
	// severalText matches labels of several pallets, whether or not they can be parsed.
	severalText = regexp.MustCompile(
		`(?i)\d\)?(?:\s*[&+;]\s*|,\s+|\s*(?:\.{2,}|…)\s*|` + andWords + `|` + toWords + `)` + labelText,
	)
	thousands = regexp.MustCompile(`^\d{1,3}(?:,\d{3})+$`)
)

// SpanOf parses a label. A Span that is Certain and has no runs is several that cannot be parsed.
func SpanOf(text string) (s Span) {
	text = strings.TrimSpace(text)
	if strings.Trim(text, "0123456789") == "" { // the common case
		return Span{Name: text}
	}
	name := Span{Name: text, Certain: severalText.MatchString(text)}
	if !name.Certain && !strings.ContainsAny(text, "-–—,/.…") {
		return name
	}
	s = name
	prefix, last, all := "", 0, 0
	for i, part := range andText.Split(text, -1) {
		m := rangeText.FindStringSubmatch(part)
		if m == nil || i > 0 && m[1] != "" && m[1] != prefix || m[3] != "" && m[3] != m[1] || thousands.MatchString(text) {
			return name
		}
		if i == 0 {
			prefix = m[1]
		}
		from, _ := strconv.Atoi(m[2])
		to := from
		if m[4] != "" {
			to, _ = strconv.Atoi(m[4])
		}
		if from > to || all+to-from >= maxSpan || i > 0 && !name.Certain && from != last+1 { // 1/20
			return name
		}
		s.runs = append(s.runs, run{prefix, len(m[2]), from, to})
		last, all = to, all+to-from+1
	}
	return s
}

// Parsed reports whether the numbers of a label are known.
func (s Span) Parsed() bool { return s.runs != nil || !s.Certain }

// Pallets returns how many numbers a label has.
func (s Span) Pallets() (n int) {
	for _, r := range s.runs {
		n += r.to - r.from + 1
	}
	return max(n, 1)
}

// Labels returns the numbers of a label.
func (s Span) Labels() iter.Seq[string] {
	return func(yield func(string) bool) {
		if len(s.runs) == 0 {
			yield(s.Name)
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
