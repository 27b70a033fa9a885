package mapping

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// values is what the cells of a column have in common.
type values struct {
	filled, distinct int
	kinds            map[string]int // how many are of each kind
	counts           bool           // 1, 2, 3 …
	samples          []string       // the first that differ
}

// samples is how many values of a column are shown.
const samples = 3

// valuesOf returns what the cells of a column have in common.
func valuesOf(lines []tables.Row, col int) values {
	v, last := values{kinds: map[string]int{}, counts: true}, 0.0
	known := map[string][]string{}
	for _, row := range lines {
		text := textOf(row, col)
		if text == "" || row.Cells[col].Merged {
			continue
		}
		kinds, ok := known[text]
		if !ok {
			kinds = kindsOf(row, col)
			known[text] = kinds
			if v.distinct++; v.distinct <= samples {
				v.samples = append(v.samples, text)
			}
		}
		v.filled++
		for _, kind := range kinds {
			v.kinds[kind]++
		}
		n, _ := layout.Number(row, col)
		v.counts, last = v.counts && n == last+1, n
	}
	return v
}

// rangeText matches sizes from one to another: 70/75.
var rangeText = regexp.MustCompile(`^\d{2,3}[-/]\d{2,3}$`)

// codeText matches the number of a box: HV8840101.
var codeText = regexp.MustCompile(`^\pL*\d{5,}$`)

// kindsOf returns what a cell is.
func kindsOf(row tables.Row, col int) (kinds []string) {
	for kind, is := range traits(row, col) {
		if is {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// traits returns of each kind whether a cell is of it.
func traits(row tables.Row, col int) map[string]bool {
	const short = 6 // bytes of a size
	text := row.Cells[col].Text
	n, number := layout.Number(row, col)
	number = number && !IsDate(text)
	size := !number && layout.IsSize(text)
	return map[string]bool{
		"sscc": SSCC(text) != "", "short": len(text) <= short, "number": number,
		"whole": number && n == float64(int(n)) && n > 0, "size": size, "sized": layout.IsSized(text),
		"count":     number && n == float64(int(n)) && n > 0 && n <= list.MaxBoxes,
		"decimal":   number && strings.ContainsAny(text, ".,"),
		"words":     !number && !size && !strings.ContainsFunc(text, unicode.IsDigit),
		"commodity": !number && reference.CommodityOf(text) != "",
		"variety":   !number && reference.Variety(strings.Fields(vocabulary.Fold(text))) > 0,
		"container": layout.ContainerText.FindString(text) == text,
		"range":     rangeText.MatchString(text),
		"code":      codeText.MatchString(text),
		"unit":      len(text) > 1 && numbers.Grams[unitName(text)] > 0,
	}
}

func unitName(text string) string { return strings.ToLower(strings.Trim(text, " .")) }

// SSCC returns the 18 digits of an SSCC whose check digit is right, or "".
func SSCC(text string) string {
	digits := list.SSCC(text)
	sum := 0
	for i, c := range []byte(digits) {
		sum += int(c-'0') * (3 - 2*(i%2)) // GS1 General Specifications, 7.9.1
	}
	if sum%10 != 0 {
		return ""
	}
	return digits
}

// dates matches the dates that spreadsheets make of a calibre such as 10-12.
var dates = regexp.MustCompile(
	`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt` +
		`|des)[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}$`,
)

// midnight matches the time that programs write behind a date.
var midnight = regexp.MustCompile(`[ T]0?0:00(:00(\.0+)?)?Z?$`)

// Day returns a date without the time behind it.
func Day(text string) string { return midnight.ReplaceAllString(text, "") }

// IsDate reports whether a text is a date.
func IsDate(text string) bool {
	return text != "" && unicode.IsDigit(rune(text[0])) && dates.MatchString(Day(text))
}
