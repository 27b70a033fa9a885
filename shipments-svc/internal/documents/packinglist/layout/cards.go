package layout

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// cards returns a sheet whose pallets are blocks of labels and values, each beginning with the
// label of the pallet, as a table with a row for each; ok is false for other sheets. The texts
// above and below the blocks stand above the table.
func cards(t tables.Table) (_ tables.Table, ok bool) {
	var names []string
	var blocks []tables.Row
	begin, end := 0, 0
	for i, row := range t.Rows {
		if i > end+maxHeaderRow { // lines
			break
		}
		for _, l := range valuesOf(row) {
			name := vocabulary.Fold(l.Name)
			col := slices.Index(names, name)
			pallet := slices.Contains(labelFields, vocabulary.MeaningOf(l.Name).Field)
			switch {
			case vocabulary.IsTotal(name), blocks == nil && !pallet:
				continue
			case blocks == nil:
				begin = i
			}
			if col < 0 {
				col, names = len(names), append(names, name)
			}
			if blocks == nil || col == 0 {
				blocks = append(blocks, tables.Row{Number: row.Number})
			}
			block := &blocks[len(blocks)-1]
			if *block = widened(*block, len(names)); block.Cells[col].Text != "" {
				return t, false // of several contents
			}
			block.Cells[col].Text, end = l.Value, i+1
		}
	}
	if len(blocks) < 2 {
		return t, false
	}
	header := tables.Row{Number: t.Rows[begin].Number}
	for _, name := range names {
		header.Cells = append(header.Cells, tables.Cell{Text: name})
	}
	t.Rows = append(slices.Concat(t.Rows[:begin], t.Rows[end:], []tables.Row{header}), blocks...)
	return t, true
}

// valuesOf returns the labels of a row that name fields, with a colon or in the cell on the
// left of the value.
func valuesOf(row tables.Row) (all []Label) {
	cells := worded(row)
	named := func(text string) bool { return vocabulary.MeaningOf(text).Field != vocabulary.None }
	for n := 0; n < len(cells); n++ {
		text := row.Cells[cells[n]].Text
		name := strings.TrimRight(text, ": ")
		if found := Labels(text); len(found) > 0 || n+1 == len(cells) || !named(name) {
			all = append(all, found...)
			continue
		}
		if n++; !named(row.Cells[cells[n]].Text) { // not the next heading
			all = append(all, Label{Name: name, Value: row.Cells[cells[n]].Text})
		}
	}
	return slices.DeleteFunc(all, func(l Label) bool { return !named(l.Name) })
}
