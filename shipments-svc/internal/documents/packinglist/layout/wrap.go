package layout

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Fields by what a wrapped line may have of them.
var (
	labelFields = []vocabulary.Field{vocabulary.PalletNumber, vocabulary.SSCC}
	textFields  = []vocabulary.Field{vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre}
)

// is reports whether a column has one of some fields.
func (t Table) is(col int, fields []vocabulary.Field) bool {
	return col < len(t.Headings) && slices.Contains(fields, t.Headings[col].Meaning.Field)
}

func (t Table) isAmount(col int) bool {
	return t.is(col, amounts) || t.is(col, []vocabulary.Field{vocabulary.PalletCount, vocabulary.BoxGross}) ||
		slices.Contains(t.Sizes, col)
}

// unwrapped returns a printed table with the lines of each row joined, which are nearer to
// each other than to those of other rows. Names as far below as the next row are joined,
// too; other texts there are loose.
func (t Table) unwrapped() Table {
	if !t.Printed {
		return t
	}
	t.Rows, t.Loose = slices.Clone(t.Rows), map[int]bool{}
	pitch := t.pitch()
	for i := t.To; i < len(t.Rows); i++ {
		if !t.counts(t.Rows[i]) {
			continue
		}
		from, to := i, i+1
		for from > t.To && t.wrapped(t.Rows[from-1]) && t.Rows[from].Below < pitch*0.9 {
			from--
		}
		for to < len(t.Rows) && t.wrapped(t.Rows[to]) && t.Rows[to].Below < pitch*0.9 {
			to++
		}
		t.join(from, to, i)
	}
	line := -1
	for i := t.To; i < len(t.Rows); i++ {
		row := t.Rows[i]
		switch {
		case row.Cells == nil:
		case t.counts(row):
			line = i
		case line >= 0 && row.Number-t.Rows[i-1].Number <= 1 && t.names(row) && (pitch == 0 || row.Below <= pitch*1.1):
			t.join(line, i+1, line)
		default:
			line = -1
			near := row.Below
			if i+1 < len(t.Rows) {
				near = min(near, t.Rows[i+1].Below)
			}
			t.Loose[i] = near < pitch*1.1 && t.wrapped(row)
		}
	}
	return t
}

// join joins rows into one of them.
func (t Table) join(from, to, into int) {
	if to-from == 1 {
		return
	}
	joined := tables.Row{Number: t.Rows[into].Number}
	for n := from; n < to; n++ {
		for col, c := range t.Rows[n].Cells {
			if len(joined.Cells) <= col {
				joined = widened(joined, col+1)
			}
			joined.Cells[col].Text = t.joined(joined.Cells[col].Text, c.Text, col)
		}
		t.Rows[n].Cells = nil
	}
	t.Rows[into] = joined
}

// continuing joins names at the top of a page to the last row of the page before.
func (t *Table) continuing(last *Table) {
	i, n := t.To, len(last.Rows)-1
	for n > last.To && last.Rows[n].Cells == nil { // joined to a row above
		n--
	}
	if !t.Printed || i >= len(t.Rows) || !t.names(t.Rows[i]) || n < 0 || !last.counts(last.Rows[n]) {
		return
	}
	last.Rows[n] = widened(last.Rows[n], len(t.Rows[i].Cells))
	for col, c := range t.Rows[i].Cells {
		cell := &last.Rows[n].Cells[col]
		cell.Text = t.joined(cell.Text, c.Text, col)
	}
	t.Rows = slices.Clone(t.Rows)
	t.Rows[i].Cells = nil
}

// pitch returns the least distance of rows of the table: of each two lines with
// an amount, the largest one of the lines from one to the other. It is 0 without two.
func (t Table) pitch() float64 {
	pitch, largest, first := 0.0, 0.0, t.To == 0
	for _, row := range t.Rows[t.To:] {
		largest = max(largest, row.Below)
		if !t.counts(row) {
			continue
		}
		if !first && (pitch == 0 || largest < pitch) {
			pitch = largest
		}
		largest, first = 0, false
	}
	return pitch
}

// counts reports whether a row has an amount.
func (t Table) counts(row tables.Row) bool {
	return slices.ContainsFunc(Filled(row), func(col int) bool {
		return t.isAmount(col) && strings.ContainsFunc(row.Cells[col].Text, isDigit)
	})
}

// names reports whether a row has a produce or variety only.
func (t Table) names(row tables.Row) bool {
	cells := Filled(row)
	return len(cells) > 0 && t.wrapped(row) &&
		!slices.ContainsFunc(cells, func(col int) bool { return !t.is(col, textFields[:2]) })
}

// wrapped reports whether a row may be a part of the texts of another: it has no
// amount, and its label is a part of one, such as 001 or /A.
func (t Table) wrapped(row tables.Row) bool {
	part := false
	for _, col := range Filled(row) {
		text := row.Cells[col].Text
		label := t.is(col, labelFields)
		if t.isAmount(col) || strings.Contains(text, ":") || vocabulary.IsTotal(vocabulary.Fold(text)) ||
			label && (strings.Contains(text, " ") || !strings.ContainsFunc(text, isDigit) &&
				!strings.ContainsAny(text[:1], "-/")) {
			return false
		}
		part = part || label || t.is(col, textFields)
	}
	return part
}

// joined joins two lines of a cell: without a space beside a slash or a hyphen, and
// between the digits of a label.
func (t Table) joined(above, below string, col int) string {
	if above == "" || below == "" {
		return above + below
	}
	last, first := above[len(above)-1], below[0]
	if strings.IndexByte("-/", last) >= 0 || strings.IndexByte("-/", first) >= 0 ||
		t.is(col, labelFields) && unicode.IsDigit(rune(last)) && unicode.IsDigit(rune(first)) {
		return above + below
	}
	return above + " " + below
}
