package lines

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// ditto reports whether a text means "as above": a sign or a word.
func ditto(text string) bool {
	const longest = 20 // bytes
	return text != "" && len(text) <= longest && !strings.ContainsAny(text, "0123456789%") &&
		vocabulary.Ditto.MatchString(vocabulary.Fold(text))
}

// cell returns the cell of a field in a row.
func (r *reader) cell(i int, f vocabulary.Field) (c tables.Cell, col int) {
	if col = r.Mapping.At(f); col >= 0 && col < len(r.t.Rows[i].Cells) {
		c = r.t.Rows[i].Cells[col]
	}
	return c, col
}

// text returns the text of a field in a row.
func (r *reader) text(i int, f vocabulary.Field) Text {
	c, col := r.cell(i, f)
	if c.Text == "" {
		return Text{}
	}
	return Text{c.Text, r.t.At(i, col)}
}

// label returns the SSCC of a row, or else its pallet number.
func (r *reader) label(i int) (c Text, merged bool) {
	for _, f := range []vocabulary.Field{vocabulary.SSCC, vocabulary.PalletNumber} {
		if c = r.text(i, f); c.Value != "" {
			found, _ := r.cell(i, f)
			merged = found.Merged
			break
		}
	}
	c.Value = strings.TrimSpace(strings.TrimPrefix(c.Value, "(00)")) // the identifier that says that it is an SSCC
	if strings.ContainsAny(c.Value, " ([-") {
		c.Value = strings.TrimSpace(vocabulary.Continued.ReplaceAllString(c.Value, ""))
	}
	if to := r.text(i, vocabulary.PalletTo); c.Value != "" && to.Value != "" && to.Value != c.Value {
		c.Value += " to " + to.Value
	}
	return c, merged
}

// textOr returns the text of a field in a row, or else that of a caption above.
func (r *reader) textOr(i int, f vocabulary.Field) Text {
	const quotes = "\"'〃”″“„’,"
	c := r.text(i, f)
	switch {
	case c.Value == "" || vocabulary.Fold(c.Value) == "" && !strings.ContainsAny(c.Value, quotes):
		given, _ := r.t.Given(i, f)
		return Text{given.Text, given.Place}
	case ditto(c.Value):
		return r.above[f]
	}
	r.above[f] = c
	return c
}

// produce returns the name of a row's produce with its variety, unless one
// contains the other.
func (r *reader) produce(i int) Text {
	p, v := r.textOr(i, vocabulary.Produce), r.textOr(i, vocabulary.Variety)
	produce, variety := vocabulary.Fold(p.Value), vocabulary.Fold(v.Value)
	switch {
	case strings.Contains(variety, produce):
		return v
	case strings.Contains(produce, variety):
		return p
	}
	return Text{p.Value + " " + v.Value, p.Place}
}

// denies reports whether the cell of a column denies that the pallet was shipped:
// Loaded: N; Cancelled: X.
func (r *reader) denies(col int, text string) bool {
	if col >= len(r.Mapping.Columns) || r.Mapping.Columns[col].Meaning.Concepts&(vocabulary.Rejected|vocabulary.Shipped) == 0 {
		return false
	}
	if f, used := r.Mapping.Used(col); used && !slices.Contains(Also[:], f) {
		return false
	}
	value := vocabulary.Fold(text)
	no := vocabulary.Denial.MatchString(value)
	if r.Mapping.Columns[col].Meaning.Concepts&vocabulary.Rejected != 0 {
		return !no && (value == "1" || !strings.ContainsFunc(value, unicode.IsDigit))
	}
	return no
}

// shipped remarks on a cell of a line that may mean that the pallet was not shipped.
func (r *reader) shipped(i, col int) {
	text := r.t.Rows[i].Cells[col].Text
	switch {
	case r.denies(col, text):
		r.Remarks.Add("not_shipped/column", r.t.At(i, col), r.t.Headings[col].Text, text)
	case !r.harmless[text]:
		before := len(r.Remarks.All)
		NotShipped(&r.Remarks, text, r.t.At(i, col))
		r.harmless[text] = len(r.Remarks.All) == before
	}
}

// NotShipped remarks on a text that may mean that pallets were not shipped.
func NotShipped(r *remarks.List, text string, at tables.Place) {
	if vocabulary.NotShipped.MatchString(vocabulary.Fold(text)) {
		r.Add("not_shipped", at, text)
	}
}
