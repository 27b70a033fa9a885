// Package layout finds the tables of pallets on the sheets of a document and brings each
// into one form: a row for each line, with columns that have headings. The columns of a
// matrix and pallets that are columns become rows, texts that a cell combines become columns,
// and captions values of the lines below them.
package layout

import (
	"cmp"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Table is a part of a sheet: a table of lines, or rows without one.
type Table struct {
	tables.Table
	header
	Kind      list.Layout
	Headed    bool         // it has a header row, or continues a table
	Continued bool         // of the previous table, without a header row
	First     bool         // it is the first part of its sheet
	Sizes     []int        // the columns of a matrix that are calibres
	Captions  map[int]bool // indexes of the rows that are captions
	Repeats   map[int]bool // indexes of the rows that repeat the header
	Loose     map[int]bool // indexes of printed rows that may be a part of others
	last      *tables.Row  // of a page, if it is a line
	given     map[vocabulary.Field][]caption
	groups    map[int]string       // the varieties above the calibres
	total     int                  // the column of a matrix with the sums of its rows, or -1
	across    map[int]tables.Place // where rows begin that are columns of the sheet
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
	if p, ok := t.across[t.Rows[row].Number]; ok {
		return tables.Place{Sheet: t.Name, Row: p.Row + max(column, 0), Column: p.Column}
	}
	return tables.Place{Sheet: t.Name, Row: t.Rows[row].Number, Column: column + 1}
}

// Step is the step by which the table has its header.
func (t Table) Step() list.Step {
	s := list.Step{
		Stage: list.LayoutStage, Where: t.At(t.From, -1), Rule: "header", After: float64(t.score),
		Rival: t.second, Kept: true, Note: string(t.Kind),
	}
	if t.Continued {
		s.Rule, s.Note = "continued", "it continues the table before"
	}
	return s
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

// maxParts is the maximum number of tables on a sheet.
const maxParts = 60

// Of divides a document into its tables, and rows without one. It refuses unclear pallet numbers.
func Of(book tables.Book) (parts []Table, err error) {
	var last *Table // of the sheet, or of the pages that it continues
	lines := numbered{sums: []int{0}}
	for _, sheet := range book.Tables {
		if !sheet.Continues {
			err = cmp.Or(err, lines.raise())
			last, lines = nil, numbered{sums: []int{0}}
		}
		sheet, across := turned(sheet)
		for n, p := range split(sheet, maxParts) {
			var before *Table
			p.across = across
			if p.First = n == 0; p.First {
				before = last
			}
			p.Continued = before != nil && !p.Headed
			if p.Headed = p.Headed || p.Continued; p.Headed {
				p = p.shaped(before)
				p.titled()
				last = &p
				lines.add(p)
			}
			parts = append(parts, p)
		}
	}
	return parts, cmp.Or(err, lines.raise())
}

// shaped returns the table in its form of lines. One that is the first of a page continues the
// last of the page before, whose header it has if it has none.
func (t Table) shaped(before *Table) Table {
	t.Rows = slices.Clone(t.Rows)
	if before != nil {
		t.given = before.given
	}
	if t.Continued {
		t.Kind, t.header = before.Kind, before.header
		t.Sizes, t.groups, t.total = before.Sizes, before.groups, before.total
		t.From, t.To = 0, 0
	} else {
		t = t.asMatrix()
	}
	return t.unwrapped(before).paired().unpivoted().captioned()
}

// split splits a sheet into its tables: those below each other, each beginning with a
// header row that is another one, and those side by side.
func split(t tables.Table, most int) []Table {
	h := headerOf(t.Rows)
	if h.To == 0 || most <= 1 {
		return []Table{{Table: t, header: header{To: len(t.Rows)}}}
	}
	for i := h.To + 1; i < len(t.Rows); i++ {
		above := t.Rows[i-1]
		if h.repeats(t.Rows[i]) || !startsTable(t.Rows, i) {
			continue
		}
		if i-1 > h.To && len(Filled(above)) == 1 && above.Number+1 == t.Rows[i].Number && !IsTotal(above) {
			i-- // its title
		}
		below := t
		below.Rows, below.Continues = t.Rows[i:], false
		t.Rows = t.Rows[:i]
		first := h.split(t, most)
		return append(first, split(below, most-len(first))...)
	}
	return h.split(t, most)
}

// split splits tables that are side by side. Rows above and below the tables belong to each.
func (h header) split(t tables.Table, most int) []Table {
	at := h.cut()
	if at == 0 {
		return []Table{{Table: t, header: h, Kind: list.LinesLayout, Headed: true}}
	}
	left, right := t, t
	left.Rows, right.Rows = slices.Clone(t.Rows), slices.Clone(t.Rows)
	from := h.From
	if from > 0 && slices.Contains(Filled(t.Rows[from-1]), at) {
		from-- // their titles
	}
	for i := from; i < below(t.Rows, h.To); i++ {
		cells := t.Rows[i].Cells
		left.Rows[i].Cells, right.Rows[i].Cells = cells[:min(at, len(cells))], nil
		if len(cells) > at {
			right.Rows[i].Cells = append(make([]tables.Cell, at), cells[at:]...)
		}
	}
	return append(split(left, 2), split(right, most-1)...)
}

// startsTable reports whether a row is the header row of a table of amounts, with
// numbers in the row below. Nearly all of its headings are known.
func startsTable(rows []tables.Row, i int) bool {
	if i+1 == len(rows) || numbersIn(rows[i]) > 0 || numbersIn(rows[i+1]) == 0 {
		return false
	}
	h := memo{}.parse(rows[i : i+1])
	named := 0
	for _, heading := range h.Headings {
		if heading.Meaning.Field != vocabulary.None {
			named++
		}
	}
	return h.complete() && named*4 >= len(Filled(rows[i]))*3
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
