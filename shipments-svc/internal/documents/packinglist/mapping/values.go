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
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// valuesOf returns what the cells of a column below the headings have in common.
func valuesOf(all []layout.Table, col int) (v values) {
	const longest = 6 // of a calibre
	seen, last := map[string]bool{}, 0.0
	v.counts, v.short = true, true
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			if col >= len(row.Cells) || row.Cells[col].Text == "" || row.Cells[col].Merged || len(layout.Filled(row)) < 3 {
				continue
			}
			text := row.Cells[col].Text
			v.filled++
			v.short = v.short && len(text) <= longest
			if !seen[text] {
				seen[text] = true
				v.distinct++
			}
			if SSCC(text) != "" {
				v.sscc++
			}
			n, ok := number(row, col)
			if ok && !IsDate(text) {
				v.numeric++
			}
			v.counts = v.counts && ok && n == last+1
			last = n
		}
	}
	v.short = v.short && v.filled > 0 && v.distinct*2 <= v.filled+4
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
var dates = regexp.MustCompile(`(?i)^\d{1,2}[-/. ](jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|ene|abr|ago|dic|dez|out|set|fev|mrt|mei|okt|des)` +
	`[a-zé]*\.?$|^\d{1,4}[-/.]\d{1,2}[-/.]\d{2,4}( 0:00:00)?$`)

// IsDate reports whether a text is a date.
func IsDate(text string) bool {
	return text != "" && unicode.IsDigit(rune(text[0])) && dates.MatchString(text)
}

// number parses a number of a row without a unit.
func number(row tables.Row, col int) (float64, bool) {
	if col >= len(row.Cells) {
		return 0, false
	}
	n, ok := numbers.Split(row.Cells[col].Text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Point)
}

// Fingerprint is equal for tables with the same headings in the same order, layout and
// number style.
func (m Mapping) Fingerprint(t layout.Table) string {
	var b strings.Builder
	b.WriteString(string(t.Kind) + "\x00" + string(StyleName(m.Style)))
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
