// Package layout finds the tables of pallets on the sheets of a document and brings each
// into one form: a row for each line, with columns that have headings. The columns of a
// matrix and of a turned table become rows, texts that a cell combines become columns, and
// captions become values of the lines below them.
package layout

import (
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Table is a table of lines.
type Table struct {
	tables.Table
	Kind      shipments.Layout
	From, To  int          // indexes of the first header row and of the row after the last
	Headings  []Heading    // of each column
	Beside    bool         // right of another table, below the same letterhead
	Continued bool         // of the previous table, without a header row
	stacked   bool         // it is below another table
	Sizes     []int        // the columns of a matrix that are calibres
	Captions  map[int]bool // indexes of the rows that are captions
	Repeats   map[int]bool // indexes of the rows that repeat the header
	Loose     map[int]bool // indexes of printed rows that may be a part of others
	given     map[vocabulary.Field][]Caption
	groups    map[int]string // the varieties above the calibres
	total     int            // the column of a matrix with the sums of its rows, or -1
	pairs     [][2]int       // the columns whose cells have two values, and the first of those for them
	header    header
	title     Caption // above it, or above a table before
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
	return tables.Place{Sheet: t.Name, Row: t.Rows[row].Number, Column: column + 1}
}

// Heading returns the text of the heading of a column.
func (t Table) Heading(column int) string {
	if column < 0 || column >= len(t.Headings) {
		return ""
	}
	return t.Headings[column].Text
}

// Body returns the rows below the header without captions and repeated headers.
func (t Table) Body() (rows []tables.Row) {
	rows = make([]tables.Row, 0, len(t.Rows)-t.To)
	for i := t.To; i < len(t.Rows); i++ {
		if !t.Captions[i] && !t.Repeats[i] {
			rows = append(rows, t.Rows[i])
		}
	}
	return rows
}

// Part is a part of a sheet: a table, or rows without one.
type Part struct {
	Table
	Headed bool // it has a header row, or continues a table
	First  bool // it is the first part of its sheet
}

const (
	maxParts = 60 // tables on a sheet
	maxWays  = 6  // in which a document is divided into parts
)

// Of returns the ways in which a document can be divided into parts, the likeliest first:
// each sheet, or list that pages continue, has its header row where it is likeliest, then
// where it is next likeliest, and so on.
func Of(book tables.Book) [][]Part {
	var lists [][]tables.Table
	for _, sheet := range book.Tables {
		if n := len(lists); n > 0 && sheet.Continues {
			lists[n-1] = append(lists[n-1], sheet)
		} else {
			lists = append(lists, []tables.Table{sheet})
		}
	}
	all := make([][]Part, 1)
	for _, list := range lists {
		found := candidates(list[0])
		for len(all) < len(found) {
			all = append(all, slices.Clone(all[0]))
		}
		for i := range all {
			c := candidate{Table: list[0]}
			if len(found) > 0 {
				c = found[min(i, len(found)-1)]
			}
			all[i] = append(all[i], c.pages(list)...)
		}
	}
	return all
}

// candidate is a sheet with a header row that it may have; to is 0 without one.
type candidate struct {
	tables.Table
	header
}

// candidates returns the header rows that a sheet may have, the likeliest first.
func candidates(t tables.Table) (all []candidate) {
	for _, h := range headersOf(t.Rows) {
		all = append(all, candidate{t, h})
	}
	return all
}

// pages returns the parts of a list whose first page has a header row. The pages that
// continue it have the columns of the page before, or headings of their own.
func (c candidate) pages(list []tables.Table) (parts []Part) {
	var last *Table
	for page, sheet := range list {
		if page > 0 {
			c = candidate{Table: sheet}
			if own := candidates(sheet); own != nil {
				c = own[0]
			}
		}
		for n, p := range c.split(false, maxParts) {
			p.First, p.stacked = n == 0, n > 0
			before := last
			if page == 0 || n > 0 {
				before = nil
			}
			p.Continued = !p.Headed && before != nil
			if p.Headed = p.Headed || p.Continued; p.Headed {
				p.Table = p.shaped(before)
				p.titled(last)
			}
			if parts = append(parts, p); p.Headed {
				last = &parts[len(parts)-1].Table
			}
		}
	}
	return parts
}

// shaped returns the table in its form of lines. One that is the first of a page continues the
// last of the page before, whose header it has if it has none.
func (t Table) shaped(before *Table) Table {
	if before != nil {
		t.given = before.given
	}
	if t.Continued {
		t.Kind, t.Headings, t.header, t.pairs = before.Kind, before.Headings, before.header, before.pairs
		t.Sizes, t.groups, t.total = before.Sizes, before.groups, before.total
		t.From, t.To = 0, 0
	} else {
		t = t.asMatrix().asPairs()
	}
	return t.unwrapped(before).paired().unpivoted().captioned()
}

// split splits a sheet into its tables: those below each other, each beginning with a
// header row that is another one, and those side by side.
func (c candidate) split(beside bool, most int) []Part {
	t, h := c.Table, c.header
	if h.to == 0 || most <= 1 {
		return []Part{{Table: Table{Table: t, To: len(t.Rows), Beside: beside}}}
	}
	for i := h.to + 1; i < len(t.Rows); i++ {
		above := t.Rows[i-1]
		repeats := h.repeats(t.Rows[i])
		if repeats && WeightUnit(above) == 0 || !repeats && !startsTable(t.Rows, i) {
			continue
		}
		if i-1 > h.to && len(Filled(above)) == 1 && above.Number+1 == t.Rows[i].Number && !IsTotal(above) {
			i-- // its title
		}
		below := t
		below.Rows, below.Continues = t.Rows[i:], false
		t.Rows = t.Rows[:i]
		first := c.splitColumns(t, beside, most)
		return append(first, split(below, beside, most-len(first))...)
	}
	return c.splitColumns(t, beside, most)
}

// split splits a part of a sheet by its likeliest header row.
func split(t tables.Table, beside bool, most int) []Part {
	return append(candidates(t), candidate{Table: t})[0].split(beside, most)
}

// splitColumns splits tables that are side by side. Rows above and below the tables belong
// to each.
func (c candidate) splitColumns(t tables.Table, beside bool, most int) []Part {
	h := c.header
	at, repeated := h.cut(t.Rows[h.to:])
	if at == 0 {
		return []Part{{Headed: true, Table: Table{
			Table: t, Kind: shipments.LinesLayout, From: h.from, To: h.to, Headings: h.headings(), Beside: beside, header: h,
		}}}
	}
	left, right := t, t
	left.Rows, right.Rows = slices.Clone(t.Rows), slices.Clone(t.Rows)
	for i := h.from; i < below(t.Rows, h.to); i++ {
		cells := t.Rows[i].Cells
		left.Rows[i].Cells, right.Rows[i].Cells = cells[:min(at, len(cells))], nil
		if len(cells) > at {
			right.Rows[i].Cells = append(make([]tables.Cell, at), cells[at:]...)
		}
	}
	if !repeated { // a table of something else
		right.Rows = right.Rows[h.from:]
		return append(split(left, false, 2), Part{Table: Table{Table: right, To: len(right.Rows), Beside: true}})
	}
	return append(split(left, false, 2), split(right, true, most-1)...)
}

// startsTable reports whether a row is the header row of a table of amounts, with
// numbers in the row below.
func startsTable(rows []tables.Row, i int) bool {
	const first, least = 4, 0.7 // cells, of which one must name a field; the score of an amount
	cells := Filled(rows[i])
	if len(cells) < 2 || i+1 == len(rows) || numbersIn(rows[i]) > 0 || numbersIn(rows[i+1]) == 0 {
		return false
	}
	named, early, amount := 0, false, false
	for n, col := range cells {
		m := vocabulary.MeaningOf(rows[i].Cells[col].Text)
		if m.Field != vocabulary.None {
			named++
			early = early || n < first
		}
		amount = amount || m.Score > least && (slices.Contains(amounts, m.Field) || m.Field == vocabulary.PalletCount)
	}
	return early && amount && named >= 2 && named*4 >= len(cells)*3
}

// StartsTable reports whether one of some rows is the header row of a table, and which.
func StartsTable(rows []tables.Row) (int, bool) {
	for i := range rows {
		if startsTable(rows, i) {
			return i, true
		}
	}
	return 0, false
}

// below returns the index of the first row below a list. The rows below have at
// most two texts.
func below(rows []tables.Row, to int) int {
	for i := len(rows); i > to; i-- {
		if IsFull(rows[i-1]) {
			return i
		}
	}
	return to
}

// Below returns the index of the first row below the list.
func (t Table) Below() int { return below(t.Rows, t.To) }
