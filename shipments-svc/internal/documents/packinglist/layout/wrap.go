package layout

import (
	"math"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Fields by what a wrapped line may have of them.
var (
	labelFields = []vocabulary.Field{vocabulary.PalletNumber, vocabulary.SSCC}
	nameFields  = []vocabulary.Field{vocabulary.Produce, vocabulary.Variety}
)

// is reports whether a column has one of some fields.
func (t Table) is(col int, fields []vocabulary.Field) bool {
	return col < len(t.Headings) && slices.Contains(fields, t.Headings[col].Meaning.Field)
}

// unwrapped returns a printed table whose names that continue in the next row are joined, also
// on the next page. Other texts as near as the rows are loose.
func (t Table) unwrapped(before *Table) Table {
	if !t.Printed {
		return t
	}
	t.Loose = map[int]bool{}
	near := 1.1 * t.distance()
	var line *tables.Row
	if before != nil && t.Sizes == nil {
		line = before.last
	}
	for i := t.To; i < len(t.Rows); i++ {
		switch row := t.Rows[i]; {
		case len(Worded(row)) == 0: // a rule of dashes
			t.Rows[i].Cells = nil
		case t.counts(row):
			line = &t.Rows[i]
		case line != nil && row.Below <= near && t.continues(row, nameFields) && !isPallet(captionsIn(row)):
			*line = joined(*line, row)
			t.Rows[i].Cells = nil
		default:
			line = nil
			t.Loose[i] = (row.Below < near || i+1 < len(t.Rows) && t.Rows[i+1].Below < near) &&
				t.continues(row, slices.Concat(labelFields, nameFields, []vocabulary.Field{vocabulary.Calibre}))
		}
	}
	t.last = line
	return t
}

// distance returns the usual distance of rows with an amount.
func (t Table) distance() float64 {
	var all []float64
	for _, row := range t.Rows[t.To:] {
		if t.counts(row) {
			all = append(all, row.Below)
		}
	}
	if slices.Sort(all); all == nil {
		return math.Inf(1)
	}
	return all[len(all)/2]
}

// joined returns a row with the texts of the next.
func joined(row, next tables.Row) tables.Row {
	row = widened(row, len(next.Cells))
	for col, c := range next.Cells {
		row.Cells[col].Text = strings.TrimSpace(row.Cells[col].Text + " " + c.Text)
	}
	return row
}

// counts reports whether a row has an amount.
func (t Table) counts(row tables.Row) bool {
	return slices.ContainsFunc(Filled(row), func(col int) bool {
		return t.is(col, amounts) && IsQuantity(row.Cells[col].Text)
	})
}

// continues reports whether the texts of a row may be a part of those of another: they are
// of some fields, and no labels, totals or amounts.
func (t Table) continues(row tables.Row, fields []vocabulary.Field) bool {
	cells := Filled(row)
	return cells != nil && !slices.ContainsFunc(cells, func(col int) bool {
		text := row.Cells[col].Text
		label := t.is(col, labelFields) && (strings.Contains(text, " ") || !strings.ContainsFunc(text, isDigit))
		return !t.is(col, fields) || label || strings.Contains(text, ":") || vocabulary.IsTotal(vocabulary.Fold(text))
	})
}
