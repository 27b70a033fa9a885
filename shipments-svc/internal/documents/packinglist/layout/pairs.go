package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// asPairs returns a table with two columns more for each such as "Variety / Calibre": the
// heading names two fields, and nearly all cells have two values.
func (t Table) asPairs() Table {
	for col, h := range t.Headings {
		first, second, ok := strings.Cut(h.Text, "/")
		a, b := vocabulary.MeaningOf(first), vocabulary.MeaningOf(second)
		if !ok || !describes(a) || !describes(b) || a.Field == b.Field {
			continue
		}
		all, pairs := 0, 0
		for _, row := range t.Rows[t.To:] {
			if col < len(row.Cells) && row.Cells[col].Text != "" && IsFull(row) {
				all, pairs = all+1, pairs+min(1, strings.Count(row.Cells[col].Text, "/"))
			}
		}
		if pairs > 0 && pairs*10 >= all*9 {
			t.Headings[col].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "two-fields"}
			t.pairs = append(t.pairs, [2]int{col, len(t.Headings)})
			t.add(h.Text, "two-fields", a.Field, b.Field)
		}
	}
	return t
}

func describes(m vocabulary.Meaning) bool {
	fields := []vocabulary.Field{
		vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre, vocabulary.Lot, vocabulary.Grower, vocabulary.Orchard,
	}
	return slices.Contains(fields, m.Field) && m.Score >= vocabulary.Clear
}

// paired returns the table with the two values of cells in columns of their own.
func (t Table) paired() Table {
	if t.pairs == nil {
		return t
	}
	t.Rows = slices.Clone(t.Rows)
	for i := t.To; i < len(t.Rows); i++ {
		for _, p := range t.pairs {
			if row := t.Rows[i]; p[0] < len(row.Cells) {
				if first, second, ok := strings.Cut(row.Cells[p[0]].Text, "/"); ok {
					t.Rows[i] = widened(row, len(t.Headings))
					for k, text := range []string{first, second} {
						t.Rows[i].Cells[p[1]+k] = tables.Cell{Text: strings.TrimSpace(text), Merged: row.Cells[p[0]].Merged}
					}
				}
			}
		}
	}
	return t
}
