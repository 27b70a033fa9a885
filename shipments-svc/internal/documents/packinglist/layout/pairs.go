package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// asPairs returns a table with two columns for each such as "Variety / Calibre": the heading
// names two fields, and nearly all cells have two values.
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
				if all++; strings.Count(row.Cells[col].Text, "/") == 1 {
					pairs++
				}
			}
		}
		if pairs == 0 || pairs*10 < all*9 {
			continue
		}
		t.Headings[col].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "two-fields"}
		for _, m := range []vocabulary.Meaning{a, b} {
			m.Rule = "two-fields"
			t.Headings = append(t.Headings, Heading{Text: h.Text, Virtual: true, Meaning: m})
		}
		t.pairs = append(t.pairs, col)
	}
	return t
}

func describes(m vocabulary.Meaning) bool {
	fields := []vocabulary.Field{
		vocabulary.Produce, vocabulary.Variety, vocabulary.Calibre, vocabulary.Lot, vocabulary.Grower, vocabulary.Orchard,
	}
	return slices.Contains(fields, m.Field) && m.Score >= vocabulary.Clear
}

// paired returns the table with the two values of cells in columns of their own, the last.
func (t Table) paired() Table {
	if t.pairs == nil {
		return t
	}
	rows := slices.Clone(t.Rows)
	for i, row := range rows[t.To:] {
		for n, col := range t.pairs {
			if col >= len(row.Cells) || strings.Count(row.Cells[col].Text, "/") != 1 {
				continue
			}
			at := len(t.Headings) - 2*(len(t.pairs)-n)
			row = widened(row, len(t.Headings))
			first, second, _ := strings.Cut(row.Cells[col].Text, "/")
			for k, text := range []string{first, second} {
				row.Cells[at+k] = tables.Cell{Text: strings.TrimSpace(text), Merged: row.Cells[col].Merged}
			}
		}
		rows[t.To+i] = row
	}
	t.Rows = rows
	return t
}
