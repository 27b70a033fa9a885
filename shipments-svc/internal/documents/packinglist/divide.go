package packinglist

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// part is one of the tables on a sheet or page.
type part struct {
	tables.Table
	beside bool // right of another part
}

// maxParts is the maximum number of tables on a sheet.
const maxParts = 20

// split splits a sheet into its tables: those below each other, each beginning
// with a header row that is another one or has a unit above, and those side by side;
// at most so many.
func split(t tables.Table, most int) []part {
	h, ok := headerOf(t.Rows)
	if !ok || most <= 1 {
		return []part{{Table: t}}
	}
	for i := h.to + 1; i < len(t.Rows); i++ {
		repeats := h.repeats(t.Rows[i])
		united := repeats && weightUnit(t.Rows[i-1]) > 0
		if repeats && h.redefines(t.Rows[i]) || united || !repeats && startsTable(t.Rows, i) {
			if united {
				i--
			}
			below := t
			below.Rows, below.Continues = t.Rows[i:], false
			t.Rows = t.Rows[:i]
			parts := splitColumns(t, h, most)
			return append(parts, split(below, most-len(parts))...)
		}
	}
	return splitColumns(t, h, most)
}

// startsTable reports whether a row is the header row of a table of amounts, with
// numbers in the row below.
func startsTable(rows []tables.Row, i int) bool {
	const first = 4 // cells, of which one must name a field
	cells := filled(rows[i])
	if len(cells) < 2 || i+1 == len(rows) || numbersIn(rows[i]) > 0 || numbersIn(rows[i+1]) == 0 ||
		!slices.ContainsFunc(cells[:min(first, len(cells))], func(col int) bool { return fieldOf(rows[i].Cells[col].Text) != noField }) {
		return false
	}
	h := parseHeader(rows[i:i+1], false)
	amounts := false
	for _, f := range []field{boxesField, netField, grossField, boxWeightField, weightField, palletsField} {
		amounts = amounts || h.has(f) && h.meanings[h.column[f]].strength > 14
	}
	named := 0
	for _, col := range cells {
		if h.meanings[col].field != noField {
			named++
		}
	}
	return amounts && named >= 2 && named*4 >= len(cells)*3
}

// splitColumns splits tables that are side by side: the header row repeats the
// headings of the first. Rows above and below the tables belong to each.
func splitColumns(t tables.Table, h header, most int) []part {
	at := repeatColumn(h)
	if at < 0 {
		return []part{{Table: t}}
	}
	left, right := t, t
	left.Rows, right.Rows = slices.Clone(t.Rows), slices.Clone(t.Rows)
	below := (&sheet{Table: t, header: h}).below()
	for i := h.from; i < below; i++ {
		cells := t.Rows[i].Cells
		if len(cells) <= at {
			right.Rows[i].Cells = nil
			continue
		}
		left.Rows[i].Cells = cells[:at]
		right.Rows[i].Cells = append(make([]tables.Cell, at), cells[at:]...)
	}
	parts := []part{{Table: left}}
	for _, p := range split(right, most-1) {
		p.beside = true
		parts = append(parts, p)
	}
	return parts
}

// repeatColumn returns the column at which the headings of a header repeat, or
// -1.
func repeatColumn(h header) int {
	label := max(h.column[palletField], h.column[ssccField])
	first := slices.IndexFunc(h.folded, func(heading string) bool { return heading != "" })
	for col := label + 1; col < len(h.folded); col++ {
		if h.folded[col] != h.folded[label] {
			continue
		}
		begin := col - (label - first)
		right := slices.DeleteFunc(slices.Clone(h.folded[begin:]), func(heading string) bool { return heading == "" })
		left := slices.DeleteFunc(slices.Clone(h.folded[first:begin]), func(heading string) bool { return heading == "" })
		if n := min(len(left), len(right)); n > 1 && slices.Equal(left[:n], right[:n]) {
			return begin
		}
	}
	return -1
}

// reportTablesAbove remarks on a table of amounts above the list: its summary.
func (r *reader) reportTablesAbove(t tables.Table, end int) {
	for i := range end {
		if startsTable(t.Rows[:end], i) {
			r.remark(TableSkipped, Place{Sheet: t.Name, Row: t.Rows[i].Number}, "a table above the list was not read: %s", sample(t.Rows[i]))
			return
		}
	}
}

// numeric reports whether a table has rows with numbers.
func numeric(t tables.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return len(row.Cells) > 1 && numbersIn(row) > 0 })
}

// sample returns the first texts of a row.
func sample(row tables.Row) string {
	const first = 6
	var texts []string
	for _, col := range filled(row) {
		if len(texts) < first {
			texts = append(texts, row.Cells[col].Text)
		}
	}
	return strings.Join(texts, " | ")
}

// dropSummaries drops the lines of a sheet whose ranges of pallets are listed one
// by one on another sheet.
func (r *reader) dropSummaries(sheets []*sheet) {
	for _, s := range sheets {
		if !s.ranges {
			continue
		}
		listed := map[string]bool{}
		for _, l := range r.lines {
			if l.sheet != s.Name {
				listed[l.pallet.text] = true
			}
		}
		if slices.ContainsFunc(r.lines, func(l line) bool { return l.sheet == s.Name && !listed[l.pallet.text] }) {
			continue
		}
		r.lines = slices.DeleteFunc(r.lines, func(l line) bool { return l.sheet == s.Name })
		r.totals = slices.DeleteFunc(r.totals, func(t total) bool { return t.place.Sheet == s.Name })
		r.list.Remarks = slices.DeleteFunc(r.list.Remarks, func(m shipments.Remark) bool { return m.Code == PalletRanges && m.Sheet == s.Name })
		r.remark(TableSkipped, s.at(s.header.from, -1), "%s is a summary of the pallets on other sheets and was not used", s.Name)
	}
}
