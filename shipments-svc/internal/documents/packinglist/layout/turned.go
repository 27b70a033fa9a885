package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// turned returns a sheet whose pallets are columns as one whose pallets are rows, below all other
// texts, and where these rows begin on the sheet.
func turned(t tables.Table) (_ tables.Table, from map[int]tables.Place) {
	var texts, lines []tables.Row
	from = map[int]tables.Place{}
	number := 1 << 21 // more than any sheet has rows
	for i := 0; i < len(t.Rows); i++ {
		block := blockOf(t.Rows[i:])
		if block == nil {
			texts = append(texts, t.Rows[i])
			continue
		}
		for _, col := range Filled(block[0]) {
			number++
			line := tables.Row{Number: number}
			for _, row := range block {
				line.Cells = append(line.Cells, widened(row, col+1).Cells[col])
			}
			from[number] = tables.Place{Row: block[0].Number, Column: col + 1}
			lines = append(lines, line)
		}
		i += len(block) - 1
	}
	t.Rows = append(texts, lines...)
	return t, from
}

// blockOf returns the rows of pallets that are columns: labels before values, first those of the
// pallet numbers. It is nil where the first row begins none.
func blockOf(rows []tables.Row) []tables.Row {
	label := func(row tables.Row) vocabulary.Field {
		if cells := Filled(row); len(cells) > 2 && !strings.ContainsFunc(row.Cells[cells[0]].Text, isDigit) {
			return vocabulary.MeaningOf(row.Cells[cells[0]].Text).Field
		}
		return vocabulary.None
	}
	wordless := func(col int) bool { return !strings.ContainsFunc(rows[0].Cells[col].Text, isDigit) }
	if !slices.Contains(labelFields, label(rows[0])) || slices.ContainsFunc(Filled(rows[0])[1:], wordless) {
		return nil
	}
	to := 1
	for to < len(rows) && rows[to].Number == rows[to-1].Number+1 && len(Filled(rows[to])) > 2 &&
		!slices.Contains(labelFields, label(rows[to])) {
		to++
	}
	if to == 1 || label(rows[1]) == vocabulary.None {
		return nil
	}
	return rows[:to]
}
