// Package layout finds the tables of pallets on the sheets of a document: their header
// rows, their bodies and their kind. Tables of other kinds become tables of lines: the
// cells of a matrix, and the columns of a turned table, become rows.
package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Table is a table of lines of pallets.
type Table struct {
	tables.Table
	Kind      shipments.Layout
	From, To  int       // indexes of the first header row and of the row after the last
	Headings  []Heading // of each column
	Beside    bool      // right of another table, below the same letterhead
	Continued bool      // of the previous table, without a header row
	Sizes     []int     // the columns of a matrix that are calibres
	pairs     []int     // the columns whose cells have two values
	numbers   []int     // of a turned table: the row of each column
	header    header
}

// Heading is the heading of a column.
type Heading struct {
	Text    string // with its group headings
	Meaning vocabulary.Meaning
	Virtual bool // of a column that the layout added
}

// At returns the place of a cell by the indexes of its row and column; of a row, where
// column is -1.
func (t Table) At(row, column int) tables.Place {
	if t.numbers != nil {
		return tables.Place{Sheet: t.Name, Row: t.numbers[max(0, min(column, len(t.numbers)-1))], Column: t.Rows[row].Number}
	}
	return tables.Place{Sheet: t.Name, Row: t.Rows[row].Number, Column: column + 1}
}

// Heading returns the text of the heading of a column.
func (t Table) Heading(column int) string {
	if column < 0 || column >= len(t.Headings) {
		return ""
	}
	return t.Headings[column].Text
}

// Repeats reports whether a row repeats the header.
func (t Table) Repeats(row tables.Row) bool { return t.Headings != nil && t.header.repeats(row) }

// Redefines reports whether a row that repeats the header gives columns other meanings.
func (t Table) Redefines(row tables.Row) bool { return t.header.redefines(row) }

// Part is a part of a sheet: a table of pallets, or rows without one.
type Part struct {
	Table
	Pallets bool // it is a table of pallets
	First   bool // it is the first part of its sheet
}

// maxParts is the maximum number of tables on a sheet.
const maxParts = 60

// Of returns the parts of a document in their order.
func Of(book tables.Book) (all []Part) {
	var last *Table
	for _, sheet := range book.Tables {
		parts := split(sheet, false, maxParts)
		for n, p := range parts {
			p.First = n == 0
			switch {
			case p.Pallets:
				p.Table = p.matrix().combined()
				last = new(p.Table)
			case sheet.Continues && last != nil && n == 0:
				p.Pallets, p.Continued = true, true
				p.Kind, p.Headings, p.header = last.Kind, last.Headings, last.header
				p.From, p.To = 0, 0
				if last.pairs != nil {
					p.pairs = last.pairs
					p.Table = p.paired()
				}
				if last.Sizes != nil {
					p.Sizes = last.Sizes
					p.Table = p.unpivoted()
				}
			}
			all = append(all, p)
		}
	}
	return all
}

// split splits a sheet into its tables: those below each other, each beginning
// with a header row that is another one or has a unit above, and those side by side.
func split(t tables.Table, beside bool, most int) []Part {
	h, ok := headerOf(t.Rows)
	if rows := wrapped(t.Rows); t.Printed && rows != nil {
		if joined, also := headerOf(rows); also && (!ok || joined.score > h.score) {
			first := rows[joined.from].Number
			above := slices.DeleteFunc(slices.Clone(t.Rows), func(row tables.Row) bool { return row.Number >= first })
			for len(above) > 0 && above[len(above)-1].Number > lastBefore(rows, joined.from) {
				above = above[:len(above)-1]
			}
			n := len(above) - joined.from
			t.Rows = append(above, rows[joined.from:]...)
			h, ok = joined, true
			h.from, h.to = h.from+n, h.to+n
		}
	}
	if turned, better := turnedTable(t, h, ok); better {
		return []Part{{Table: turned, Pallets: true}}
	}
	if !ok || most <= 1 {
		return []Part{{Table: Table{Table: t, To: len(t.Rows), Beside: beside}}}
	}
	part := func(t tables.Table) Part {
		return Part{Pallets: true, Table: Table{Table: t, Kind: h.kind, From: h.from, To: h.to, Headings: h.headings(), Beside: beside, header: h}}
	}
	for i := h.to + 1; i < len(t.Rows); i++ {
		repeats := h.repeats(t.Rows[i])
		united := repeats && WeightUnit(t.Rows[i-1]) > 0
		if repeats && h.redefines(t.Rows[i]) || united || !repeats && h.kind != shipments.BlocksLayout && StartsTable(t.Rows, i) {
			if united {
				i--
			}
			below := t
			below.Rows, below.Continues = t.Rows[i:], false
			t.Rows = t.Rows[:i]
			first := splitColumns(t, h, part, most)
			return append(first, split(below, beside, most-len(first))...)
		}
	}
	return splitColumns(t, h, part, most)
}

// lastBefore returns the number of the last row before one that is joined of several.
func lastBefore(rows []tables.Row, i int) int {
	if i == 0 {
		return 0
	}
	return rows[i-1].Number
}

// StartsTable reports whether a row is the header row of a table of amounts, with
// numbers in the row below.
func StartsTable(rows []tables.Row, i int) bool {
	const first, least = 4, 0.7 // cells, of which one must name a field; the score of an amount
	cells := Filled(rows[i])
	if len(cells) < 2 || i+1 == len(rows) || numbersIn(rows[i]) > 0 || numbersIn(rows[i+1]) == 0 {
		return false
	}
	amounts := []vocabulary.Field{
		vocabulary.Boxes, vocabulary.NetWeight, vocabulary.GrossWeight, vocabulary.BoxWeight, vocabulary.AnyWeight, vocabulary.PalletCount,
	}
	named, early, amount := 0, false, false
	for n, col := range cells {
		m := vocabulary.MeaningOf(rows[i].Cells[col].Text)
		if m.Field != vocabulary.None {
			named++
			early = early || n < first
		}
		amount = amount || slices.Contains(amounts, m.Field) && m.Score > least
	}
	return early && amount && named >= 2 && named*4 >= len(cells)*3
}

// splitColumns splits tables that are side by side: the header row repeats the
// headings of the first. Rows above and below the tables belong to each.
func splitColumns(t tables.Table, h header, part func(tables.Table) Part, most int) []Part {
	at := h.repeatColumn()
	if at < 0 {
		if at = h.besideColumn(t.Rows[h.to:]); at < 0 {
			return []Part{part(t)}
		}
		left, right := t, t
		left.Rows, right.Rows = slices.Clone(t.Rows), nil
		for i := h.from; i < len(t.Rows); i++ {
			if cells := t.Rows[i].Cells; len(cells) > at {
				left.Rows[i].Cells = cells[:at]
				right.Rows = append(right.Rows, tables.Row{Number: t.Rows[i].Number, Cells: cells[at:]})
			}
		}
		return append(split(left, false, 2), Part{Table: Table{Table: right, To: len(right.Rows), Beside: true}})
	}
	left, right := t, t
	left.Rows, right.Rows = slices.Clone(t.Rows), slices.Clone(t.Rows)
	for i := h.from; i < below(t.Rows, h.to); i++ {
		cells := t.Rows[i].Cells
		if len(cells) <= at {
			right.Rows[i].Cells = nil
			continue
		}
		left.Rows[i].Cells = cells[:at]
		right.Rows[i].Cells = append(make([]tables.Cell, at), cells[at:]...)
	}
	if i := h.from - 1; i >= 0 && len(Filled(t.Rows[i])) == 2 && len(t.Rows[i].Cells) > at { // a caption of each
		left.Rows[i].Cells = t.Rows[i].Cells[:at]
		right.Rows[i].Cells = append(make([]tables.Cell, at), t.Rows[i].Cells[at:]...)
	}
	return append(split(left, false, 2), split(right, true, most-1)...)
}

// below returns the index of the first row below a list. The rows below have at
// most two texts.
func below(rows []tables.Row, to int) int {
	for i := len(rows); i > to; i-- {
		if len(Filled(rows[i-1])) > 2 {
			return i
		}
	}
	return to
}

// Below returns the index of the first row below the list.
func (t Table) Below() int { return below(t.Rows, t.To) }

// Filled returns the indexes of the cells of a row with a text of their own.
func Filled(row tables.Row) (all []int) {
	for i, c := range row.Cells {
		if c.Text != "" && !c.Merged {
			all = append(all, i)
		}
	}
	return all
}

// Sample returns the first texts of a row.
func Sample(row tables.Row) string {
	const first = 6
	var texts []string
	for _, col := range Filled(row) {
		if len(texts) < first {
			texts = append(texts, row.Cells[col].Text)
		}
	}
	return strings.Join(texts, " | ")
}
