package packinglist

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// unwrap joins printed rows that belong to one row of the table: a wrapped,
// centred text is above and below the numbers of its row.
func (s *sheet) unwrap() {
	if !s.Printed {
		return
	}
	rows := s.Rows
	for i := s.header.to; i < len(rows); i++ {
		if label, _ := s.label(i); label.text == "" || totals(fold(label.text)) || !s.lacksText(rows[i]) {
			continue
		}
		above := 0
		for n := i - 1; n >= s.header.to && s.onlyText(rows[n]) && rows[n+1].Number-rows[n].Number == 1; n-- {
			above++
		}
		below := 0
		for n := i + 1; n < len(rows) && below < above && s.onlyText(rows[n]) && rows[n].Number-rows[n-1].Number == 1; n++ {
			below++
		}
		if above == 0 {
			continue
		}
		joined := tables.Row{Number: rows[i].Number, Cells: append([]tables.Cell{}, rows[i].Cells...)}
		for n := i - above; n <= i+below; n++ {
			if n == i {
				continue
			}
			for col, c := range rows[n].Cells {
				for len(joined.Cells) <= col {
					joined.Cells = append(joined.Cells, tables.Cell{})
				}
				joined.Cells[col].Text = strings.TrimSpace(joined.Cells[col].Text + " " + c.Text)
			}
			rows[n].Cells = nil
		}
		rows[i] = joined
	}
}

// lacksText reports whether a row has numbers but no produce.
func (s *sheet) lacksText(row tables.Row) bool {
	lacks := false
	for _, f := range []field{produceField, varietyField} {
		if col := s.header.column[f]; col >= 0 {
			if col < len(row.Cells) && row.Cells[col].Text != "" {
				return false
			}
			lacks = true
		}
	}
	return lacks && numbersIn(row) > 0
}

// onlyText reports whether a row has only a part of the name of produce.
func (s *sheet) onlyText(row tables.Row) bool {
	cells := filled(row)
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(col int) bool {
		return col != s.header.column[produceField] && col != s.header.column[varietyField]
	})
}
