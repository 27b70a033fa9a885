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
	to, first := 0, vocabulary.None // the field of the first row
	for ; to < len(rows) && rows[to].Number == rows[0].Number+to; to++ {
		cells := Filled(rows[to])
		if len(cells) < 3 || to == 0 && strings.ContainsFunc(rows[0].Cells[cells[0]].Text, isDigit) {
			break
		}
		m := vocabulary.MeaningOf(rows[to].Cells[cells[0]].Text)
		wordless := func(col int) bool {
			text := rows[to].Cells[col].Text
			return strings.Contains(text, ":") ||
				!strings.ContainsFunc(text, isDigit) && !vocabulary.IsTotal(vocabulary.Fold(text))
		}
		numbers := (to == 0 || m.Field == first) && slices.Contains(labelFields, m.Field) &&
			!slices.ContainsFunc(cells[1:], wordless)
		if numbers != (to == 0) || to == 1 && m.Field == vocabulary.None {
			break
		} else if to == 0 {
			first = m.Field
		}
	}
	if to < 2 {
		return nil
	}
	return rows[:to]
}
