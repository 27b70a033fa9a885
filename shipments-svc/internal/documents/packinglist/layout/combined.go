package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// combined returns a table in which columns such as "Variety / Calibre" are two: the
// heading names two fields, and the cells have two values.
func (t Table) combined() Table {
	for col, h := range t.Headings {
		first, second, ok := strings.Cut(h.Text, "/")
		a, b := vocabulary.MeaningOf(first), vocabulary.MeaningOf(second)
		if !ok || !describes(a) || !describes(b) || a.Field == b.Field || !t.slashed(col) {
			continue
		}
		t.Headings = slices.Clone(t.Headings)
		t.Headings[col].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "two-fields"}
		for _, m := range []vocabulary.Meaning{a, b} {
			m.Rule = "two-fields"
			t.Headings = append(t.Headings, Heading{Text: h.Text, Virtual: true, Meaning: m})
		}
		t.pairs = append(t.pairs, col)
	}
	return t.paired()
}

func describes(m vocabulary.Meaning) bool {
	fields := []vocabulary.Field{
		vocabulary.Produce,
		vocabulary.Variety,
		vocabulary.Calibre,
		vocabulary.Lot,
		vocabulary.Grower,
		vocabulary.Orchard,
	}
	return slices.Contains(fields, m.Field) && m.Score >= vocabulary.Clear
}

// slashed reports whether nearly all cells of a column have one slash.
func (t Table) slashed(col int) bool {
	all, slashes := 0, 0
	for _, row := range t.Rows[t.To:] {
		if col < len(row.Cells) && row.Cells[col].Text != "" && len(Filled(row)) > 2 {
			if all++; strings.Count(row.Cells[col].Text, "/") == 1 {
				slashes++
			}
		}
	}
	return slashes > 0 && slashes*10 >= all*9
}

// paired returns the table with the two values of cells in columns of their own, the last.
func (t Table) paired() Table {
	if t.pairs == nil {
		return t
	}
	t.Rows = slices.Clone(t.Rows)
	for i, row := range t.Rows {
		if i < t.To {
			continue
		}
		at := len(t.Headings) - 2*len(t.pairs)
		for n, col := range t.pairs {
			if col >= len(row.Cells) || strings.Count(row.Cells[col].Text, "/") != 1 {
				continue
			}
			first, second, _ := strings.Cut(row.Cells[col].Text, "/")
			row = widened(row, len(t.Headings))
			row.Cells[at+2*n] = tables.Cell{Text: strings.TrimSpace(first), Merged: row.Cells[col].Merged}
			row.Cells[at+2*n+1] = tables.Cell{Text: strings.TrimSpace(second), Merged: row.Cells[col].Merged}
		}
		t.Rows[i] = row
	}
	return t
}

// besideColumn returns the first column of a table beside that of the pallets, behind an
// empty column: it repeats a field and names no pallet. It is -1 without one.
func (h header) besideColumn(rows []tables.Row) int {
	for gap := 1; gap+1 < len(h.texts); gap++ {
		empty := h.texts[gap] == "" &&
			!slices.ContainsFunc(rows, func(row tables.Row) bool { return gap < len(row.Cells) && row.Cells[gap].Text != "" })
		if !empty {
			continue
		}
		left := header{means: h.means[:gap], score: 1, kind: h.kind}
		right := header{means: h.means[gap+1:], score: 1}
		left.assign()
		right.assign()
		repeated := false
		for f := range right.columns {
			repeated = repeated || left.has(f) && worth[f] > 0
		}
		if repeated && left.complete(false) && !right.complete(false) {
			return gap + 1
		}
	}
	return -1
}
