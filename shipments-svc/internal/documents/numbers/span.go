package numbers

import (
	"fmt"
	"iter"
	"regexp"
	"strconv"
	"strings"
)

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

// SpanOf parses a label. A Span that is Certain and has no runs is several that cannot
// be parsed.
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
		if m == nil || i > 0 && m[1] != "" && m[1] != prefix || m[3] != "" && m[3] != m[1] ||
			thousands.MatchString(text) {
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
