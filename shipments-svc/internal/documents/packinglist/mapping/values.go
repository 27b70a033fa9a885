package mapping

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// valuesOf returns what the cells of a column below the headings have in common.
func valuesOf(all []layout.Table, col int) (v values) {
	const longest = 6 // of a calibre
	kinds, last := map[string]values{}, 0.0
	v.counts, v.short = true, true
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			if col >= len(row.Cells) || row.Cells[col].Text == "" || row.Cells[col].Merged || !layout.IsFull(row) {
				continue
			}
			text := row.Cells[col].Text
			kind, known := kinds[text]
			if !known && layout.IsTotal(row) {
				continue
			}
			if !known {
				v.distinct++
				kind = kindOf(row, col)
				kinds[text] = kind
			}
			v.filled++
			v.short = v.short && len(text) <= longest
			v.sscc, v.numeric, v.whole = v.sscc+kind.sscc, v.numeric+kind.numeric, v.whole+kind.whole
			v.sizes, v.words, v.commodities = v.sizes+kind.sizes, v.words+kind.words, v.commodities+kind.commodities
			v.containers += kind.containers
			v.counts = v.counts && kind.value == last+1
			last = kind.value
		}
	}
	v.short = v.short && v.filled > 0 && v.distinct*2 <= v.filled+4
	return v
}

// kindOf returns what a cell is: each number of the values is 0 or 1.
func kindOf(row tables.Row, col int) (v values) {
	text := row.Cells[col].Text
	if SSCC(text) != "" {
		v.sscc = 1
	}
	n, ok := layout.Number(row, col)
	switch v.value = n; {
	case ok && !IsDate(text):
		v.numeric = 1
		if n == float64(int(n)) && n > 0 {
			v.whole = 1
		}
	case layout.IsSize(text):
		v.sizes = 1
	case !strings.ContainsFunc(text, unicode.IsDigit):
		v.words = 1
	}
	if !ok && reference.CommodityOf(text) != nil {
		v.commodities = 1
	}
	if layout.ContainerText.FindString(text) == text {
		v.containers = 1
	}
	return v
}

// SSCC returns the 18 digits of an SSCC whose check digit is right, or "".
func SSCC(text string) string {
	digits, ok := shipments.SSCC(text)
	if !ok {
		return ""
	}
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
	`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt|des)` +
		`[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}( 0:00:00)?$`,
)

// IsDate reports whether a text is a date.
func IsDate(text string) bool {
	return text != "" && unicode.IsDigit(rune(text[0])) && dates.MatchString(text)
}

// Fingerprint is equal for tables with the same headings in the same order and layout.
func (m Mapping) Fingerprint(t layout.Table) string {
	var b strings.Builder
	b.WriteString(string(m.Layout(t)))
	for _, h := range t.Headings {
		if !h.Virtual {
			b.WriteString("\x00" + vocabulary.Fold(h.Text))
		}
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:16])
}

// StyleName returns a style as a mapping names it.
func StyleName(s numbers.Style) shipments.NumberStyle {
	switch s {
	case numbers.Point:
		return shipments.PointStyle
	case numbers.Comma:
		return shipments.CommaStyle
	default:
		return ""
	}
}
