package lines

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// unwrap joins the printed lines of each row of the table, which are nearer to each
// other than to those of other rows.
func (r *reader) unwrap() {
	if !r.t.Printed {
		return
	}
	r.t.Rows = slices.Clone(r.t.Rows)
	r.pitch = r.leastDistance()
	rows, near := r.t.Rows, r.pitch*0.9
	for i := r.t.To; i < len(rows); i++ {
		if !r.counts(rows[i]) {
			continue
		}
		from, to := i, i+1
		for from > r.t.To && r.wrapped(rows[from-1]) && rows[from].Below < near {
			from--
		}
		for to < len(rows) && r.wrapped(rows[to]) && rows[to].Below < near {
			to++
		}
		if to-from == 1 {
			continue
		}
		joined := tables.Row{Number: rows[i].Number}
		for n := from; n < to; n++ {
			for col, c := range rows[n].Cells {
				for len(joined.Cells) <= col {
					joined.Cells = append(joined.Cells, tables.Cell{})
				}
				joined.Cells[col].Text = r.joined(joined.Cells[col].Text, c.Text, col)
			}
			rows[n].Cells = nil
		}
		rows[i] = joined
	}
}

// leastDistance returns the least distance of rows of the table: of each two lines with
// an amount, the largest one of the lines from one to the other. It is 0 without two.
func (r *reader) leastDistance() float64 {
	pitch, largest, first := 0.0, 0.0, r.t.To == 0
	for _, row := range r.t.Rows[r.t.To:] {
		largest = max(largest, row.Below)
		if !r.counts(row) {
			continue
		}
		if !first && (pitch == 0 || largest < pitch) {
			pitch = largest
		}
		largest, first = 0, false
	}
	return pitch
}

// Fields by what a wrapped line may have of them.
var (
	labelFields  = []vocabulary.Field{vocabulary.PalletNumber, vocabulary.SSCC}
	textFields   = []vocabulary.Field{vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre}
	amountFields = slices.Concat(mapping.Weights, mapping.Counts)
)

// is reports whether a column is that of one of some fields.
func (r *reader) is(col int, fields []vocabulary.Field) bool {
	return slices.ContainsFunc(fields, func(f vocabulary.Field) bool { return r.m.At(f) == col })
}

// counts reports whether a row has an amount.
func (r *reader) counts(row tables.Row) bool {
	return slices.ContainsFunc(layout.Filled(row), func(col int) bool {
		return r.is(col, amountFields) && strings.ContainsFunc(row.Cells[col].Text, unicode.IsDigit)
	})
}

// wrapped reports whether a row may be a part of the texts of another: it has no
// amount, and its label is a part of one, such as 001 or /A.
func (r *reader) wrapped(row tables.Row) bool {
	part := false
	for _, col := range layout.Filled(row) {
		text := row.Cells[col].Text
		label := r.is(col, labelFields)
		if r.is(col, amountFields) || strings.Contains(text, ":") || vocabulary.IsTotal(vocabulary.Fold(text)) ||
			label &&
				(strings.Contains(text, " ") || !strings.ContainsFunc(text, unicode.IsDigit) && !strings.ContainsAny(text[:1],
					"-/")) {
			return false
		}
		part = part || label || r.is(col, textFields)
	}
	return part
}

// unjoined reports whether a row may be a part of the texts of one that is as near as
// rows of the table are.
func (r *reader) unjoined(i int) bool {
	near := r.t.Rows[i].Below
	if i+1 < len(r.t.Rows) {
		near = min(near, r.t.Rows[i+1].Below)
	}
	return r.t.Printed && near < r.pitch*1.1 && r.wrapped(r.t.Rows[i])
}

// joined joins two lines of a cell: without a space beside a slash or a hyphen, and
// between the digits of a label.
func (r *reader) joined(above, below string, col int) string {
	if above == "" || below == "" {
		return above + below
	}
	last, first := above[len(above)-1], below[0]
	if strings.IndexByte("-/", last) >= 0 || strings.IndexByte("-/", first) >= 0 ||
		r.is(col, labelFields) && unicode.IsDigit(rune(last)) && unicode.IsDigit(rune(first)) {
		return above + below
	}
	return above + " " + below
}

// continues appends a printed row to the name of the produce of the line above. It
// returns false if the row has other texts.
func (r *reader) continues(i int, cells []int) bool {
	n := len(r.Lines.Lines)
	if n == 0 || r.t.Rows[i].Number-r.Lines.Lines[n-1].Last > 1 || r.pitch > 0 && r.t.Rows[i].Below > r.pitch*1.1 ||
		slices.ContainsFunc(cells, func(col int) bool { return !r.is(col, textFields[:2]) }) {
		return false
	}
	for _, col := range cells {
		r.Lines.Lines[n-1].Produce.Value += " " + r.t.Rows[i].Cells[col].Text
	}
	r.Lines.Lines[n-1].Last = r.t.Rows[i].Number
	return true
}

// turned reports whether a row may be the end of one of the page before: it is above
// the lines of its page, and has only texts of columns that are read.
func (r *reader) turned(cells []int) bool {
	return r.t.Printed && r.t.Continues && len(r.Lines.Lines) == 0 && len(r.before) > 0 &&
		!slices.ContainsFunc(cells, func(col int) bool {
			f, used := r.m.Used(col)
			return !used || f == vocabulary.PalletNumber || f == vocabulary.SSCC
		})
}
