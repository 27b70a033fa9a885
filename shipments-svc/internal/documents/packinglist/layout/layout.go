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
	From, To  int            // indexes of the first header row and of the row after the last
	Headings  []Heading      // of each column
	Beside    bool           // right of another table, below the same letterhead
	Continued bool           // of the previous table, without a header row
	Sizes     []int          // the columns of a matrix that are calibres
	groups    map[int]string // the varieties above them
	pairs     []int          // the columns whose cells have two values
	numbers   []int          // of a turned table: the row of each column
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

const (
	// maxParts is the maximum number of tables on a sheet.
	maxParts = 60
	// maxWays is the maximum number of ways in which a document is divided into parts.
	maxWays = 6
)

// Of returns the ways in which a document can be divided into parts, the likeliest first:
// each other way differs in the tables of one sheet, or of one list that pages continue.
func Of(book tables.Book) (all [][]Part) {
	var lists [][]tables.Table
	for _, sheet := range book.Tables {
		if n := len(lists); n > 0 && sheet.Continues {
			lists[n-1] = append(lists[n-1], sheet)
		} else {
			lists = append(lists, []tables.Table{sheet})
		}
	}
	first := make([][]Part, len(lists))
	var others [][][]Part
	for i, list := range lists {
		ways := waysOf(list)
		first[i], others = ways[0], append(others, ways[1:])
	}
	all = append(all, slices.Concat(first...))
	for i := range lists {
		for _, way := range others[i] {
			if len(all) < maxWays {
				other := slices.Clone(first)
				other[i] = way
				all = append(all, slices.Concat(other...))
			}
		}
	}
	return all
}

// waysOf returns the ways in which a list can be divided. The pages that continue it have
// the columns of the page before, or headings of their own.
func waysOf(list []tables.Table) (all [][]Part) {
	for _, c := range append(candidates(list[0]), candidate{Table: list[0]}) {
		if len(all) > 0 && c.to == 0 {
			break // rows without a table
		}
		var parts []Part
		var last *Table
		for page, sheet := range list {
			if page > 0 {
				c = candidate{Table: sheet}
				if own := candidates(sheet); own != nil && (last == nil || !own[0].repeatsBelow(last.header)) {
					c = own[0]
				}
			}
			for n, p := range c.split(false, maxParts) {
				p.First = n == 0
				switch {
				case p.Pallets:
					p.Table = p.matrix().combined()
					last = new(p.Table)
				case page > 0 && last != nil && n == 0:
					p.Pallets, p.Continued = true, true
					p.Table = p.continuing(*last)
				}
				parts = append(parts, p)
			}
		}
		all = append(all, parts)
	}
	return all
}

// repeatsBelow reports whether the header row of a page repeats that of the page before,
// below lines that continue it.
func (c candidate) repeatsBelow(before header) bool {
	return slices.Equal(c.folded, before.folded) && slices.ContainsFunc(c.Rows[:c.from], func(row tables.Row) bool {
		return IsFull(row) && numbersIn(row) > 2
	})
}

// continuing returns a page without headings as a part of the table before.
func (t Table) continuing(last Table) Table {
	t.Kind, t.Headings, t.header, t.pairs, t.Sizes, t.groups = last.Kind, last.Headings, last.header, last.pairs,
		last.Sizes, last.groups
	t.From, t.To = 0, 0
	t = t.paired()
	if t.Sizes != nil {
		t = t.unpivoted()
	}
	return t
}

// candidate is a sheet with a header row that it may have; to is 0 without one.
type candidate struct {
	tables.Table
	header
	numbers []int // of a turned table: the row of each column
}

// candidates returns the header rows that a sheet may have, the likeliest first: on its
// rows, and on its columns.
func candidates(t tables.Table) (all []candidate) {
	for _, h := range headersOf(t.Rows) {
		all = append(all, candidate{Table: t, header: h})
	}
	if turned, numbers := turned(t); numbers != nil {
		for _, h := range headersOf(turned.Rows) {
			if h.kind == shipments.LinesLayout && !h.has(sizeColumns) {
				all = append(all, candidate{turned, h, numbers})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return b.score - a.score })
	return all[:min(len(all), maxWays)]
}

// split splits a sheet into its tables: those below each other, each beginning with a
// header row that is another one or has a unit above, and those side by side.
func (c candidate) split(beside bool, most int) []Part {
	t, h := c.Table, c.header
	if h.to == 0 || most <= 1 {
		return []Part{{Table: Table{Table: t, To: len(t.Rows), Beside: beside}}}
	}
	part := func(t tables.Table) Part {
		return Part{Pallets: true, Table: Table{
			Table: t, Kind: h.kind, From: h.from, To: h.to, Headings: h.headings(), Beside: beside, header: h,
			numbers: c.numbers,
		}}
	}
	for i := h.to + 1; i < len(t.Rows) && c.numbers == nil; i++ {
		repeats := h.repeats(t.Rows[i])
		united := repeats && WeightUnit(t.Rows[i-1]) > 0
		if repeats && h.redefines(t.Rows[i]) || united ||
			!repeats && h.kind != shipments.BlocksLayout && StartsTable(t.Rows, i) {
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

// split splits a part of a sheet by its likeliest header row.
func split(t tables.Table, beside bool, most int) []Part {
	if all := candidates(t); all != nil {
		return all[0].split(beside, most)
	}
	return candidate{Table: t}.split(beside, most)
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
		vocabulary.Boxes, vocabulary.NetWeight, vocabulary.GrossWeight, vocabulary.BoxWeight, vocabulary.AnyWeight,
		vocabulary.PalletCount,
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

// IsFull reports whether a row has at least three texts, as a line has.
func IsFull(row tables.Row) bool {
	n := 0
	for _, c := range row.Cells {
		if c.Text != "" && !c.Merged {
			if n++; n == 3 {
				return true
			}
		}
	}
	return false
}

// IsTotal reports whether the first text of a row is the label of a total.
func IsTotal(row tables.Row) bool {
	for _, c := range row.Cells {
		if c.Text != "" && !c.Merged {
			return vocabulary.IsTotal(vocabulary.Fold(c.Text))
		}
	}
	return false
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
