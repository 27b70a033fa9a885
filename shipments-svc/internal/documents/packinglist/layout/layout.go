// Package layout finds the tables of pallets on the sheets of a document and brings each into one form: a row for each
// line, with columns that have headings. The columns of a matrix and pallets that are columns become rows, texts that a
// cell combines become columns, and captions values of the lines below them.
package layout

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
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

// At returns the place of a cell by the indexes of its row and column; of a row, where column is -1.
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

// below returns the index of the first row below a list. The rows below have at most two texts.
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
func IsFull(row tables.Row) bool { return len(Filled(row)) > 2 }

// IsTotal reports whether the first text of a row is the label of a total.
func IsTotal(row tables.Row) bool {
	cells := Filled(row)
	return cells != nil && vocabulary.IsTotal(vocabulary.Fold(row.Cells[cells[0]].Text))
}

// Sample returns the first texts of a row.
func Sample(row tables.Row) string {
	const first = 6
	var texts []string
	for _, col := range Filled(row) {
		texts = append(texts, row.Cells[col].Text)
	}
	return strings.Join(texts[:min(first, len(texts))], " | ")
}

// numbersIn scores what a header row does not have: cells that are a number, or a label with a colon.
func numbersIn(row tables.Row) (n int) {
	for _, cell := range row.Cells {
		if IsQuantity(cell.Text) || strings.Contains(cell.Text, ":") {
			n += 2
		}
	}
	return n
}

// HasNumbers reports whether a table has rows with numbers.
func HasNumbers(t tables.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return numbersIn(row) > 0 })
}

// IsQuantity reports whether a text is a number, alone or before its unit.
func IsQuantity(text string) bool {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" && !strings.HasPrefix(text, n.Digits) {
		return false
	}
	_, ok = numbers.Value(n.Digits, numbers.Point)
	return ok && (n.Unit == "" || vocabulary.IsA(n.Unit, vocabulary.Box|vocabulary.Pallets|vocabulary.Unit, 0))
}

// Number parses the number of a cell of a row, without a unit. "1.056" is more than a thousand.
func Number(row tables.Row, col int) (float64, bool) {
	if col < 0 || col >= len(row.Cells) {
		return 0, false
	}
	n, ok := numbers.Split(row.Cells[col].Text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Thousands(n.Digits))
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// Unit returns the unit among the words of a text in grams, or 0. A single letter
// is one only if there is no other; t, for tonnes, only in brackets or at the end of a weight.
func Unit(text string) float64 {
	grams := 0.0
	for _, word := range vocabulary.Words(text) {
		switch g, ok := numbers.Grams[word]; {
		case !ok || word == "t":
		case g != 1:
			return g
		default:
			grams = g
		}
	}
	of, _ := vocabulary.Of(text)
	weight := of&(vocabulary.Net|vocabulary.Gross|vocabulary.Weight) != 0
	if lower := strings.ToLower(text); strings.Contains(lower, "(t)") || weight && strings.HasSuffix(lower, " t") {
		return numbers.Grams["t"]
	}
	return grams
}

// UnitBeside returns the unit of weights that a text above the table gives, or one alone in a row, or 0.
func (t Table) UnitBeside() float64 {
	for i, row := range t.Rows {
		cells := Filled(row)
		if i >= t.From && (len(cells) != 1 || IsTotal(row) || strings.ContainsAny(row.Cells[cells[0]].Text, ":=")) {
			continue
		}
		for _, col := range cells {
			text := row.Cells[col].Text
			if of, _ := vocabulary.Of(text); of&vocabulary.Weight != 0 && Unit(text) > 0 {
				return Unit(text)
			}
		}
	}
	return 0
}

// paired returns the table with two columns more for each of two fields, "Variety / Calibre", whose cells have both.
func (t Table) paired() Table {
	for col, h := range t.Headings {
		first, second, _ := strings.Cut(h.Text, "/")
		a, b, all, pairs := field(first), field(second), 0, 0
		if t.Continued || a == vocabulary.None || b == vocabulary.None || a == b {
			continue
		}
		for _, row := range t.Rows[t.To:] {
			if col < len(row.Cells) && row.Cells[col].Text != "" && IsFull(row) {
				all, pairs = all+1, pairs+min(1, strings.Count(row.Cells[col].Text, "/"))
			}
		}
		if pairs > 0 && pairs*10 >= all*9 {
			t.pairs = append(t.pairs, [2]int{col, len(t.Headings)})
			t.Headings[col].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "two-fields"}
			t.add(h.Text, "two-fields", a, b)
		}
	}
	for i := t.To; i < len(t.Rows) && t.pairs != nil; i++ {
		t.Rows[i] = widened(t.Rows[i], len(t.Headings))
		for _, p := range t.pairs {
			cell, own := t.Rows[i].Cells[p[0]], t.Rows[i].Cells[p[1]:]
			if first, second, ok := strings.Cut(cell.Text, "/"); ok {
				own[0] = tables.Cell{Text: strings.TrimSpace(first), Merged: cell.Merged}
				own[1] = tables.Cell{Text: strings.TrimSpace(second), Merged: cell.Merged}
			}
		}
	}
	return t
}
