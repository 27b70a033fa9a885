package packinglist

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// unwrap joins the printed lines of each row of the table, which are nearer to each
// other than to those of other rows.
func (s *sheet) unwrap() {
	if !s.Printed {
		return
	}
	s.pitch = s.leastDistance()
	rows, near := s.Rows, s.pitch*0.9
	for i := s.header.to; i < len(rows); i++ {
		if !s.counts(rows[i]) {
			continue
		}
		from, to := i, i+1
		for from > s.header.to && s.wrapped(rows[from-1]) && rows[from].Below < near {
			from--
		}
		for to < len(rows) && s.wrapped(rows[to]) && rows[to].Below < near {
			to++
		}
		if to-from == 1 {
			continue
		}
		joined := tables.Row{Number: rows[i].Number}
		for n := from; n < to; n++ {
			for col, c := range rows[n].Cells {
				for len(joined.Cells) <= col {
					joined.Cells = append(joined.Cells, tables.Cell{})
				}
				joined.Cells[col].Text = s.joined(joined.Cells[col].Text, c.Text, col)
			}
			rows[n].Cells = nil
		}
		rows[i] = joined
	}
}

// leastDistance returns the least distance of rows of the table: of each two lines with
// an amount, the largest one of the lines from one to the other. It is 0 without two.
func (s *sheet) leastDistance() float64 {
	pitch, largest, first := 0.0, 0.0, s.header.to == 0
	for _, row := range s.Rows[s.header.to:] {
		largest = max(largest, row.Below)
		if !s.counts(row) {
			continue
		}
		if !first && (pitch == 0 || largest < pitch) {
			pitch = largest
		}
		largest, first = 0, false
	}
	return pitch
}

// Fields by what a wrapped line may have of them.
var (
	labelFields  = []field{palletField, ssccField}
	textFields   = []field{produceField, varietyField, calibreField}
	amountFields = []field{boxesField, boxWeightField, boxGrossField, netField, grossField, weightField, produceWeightField, palletsField}
)

// is reports whether a column is that of one of some fields.
func (h header) is(col int, fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool { return h.column[f] == col })
}

// counts reports whether a row has an amount.
func (s *sheet) counts(row tables.Row) bool {
	return slices.ContainsFunc(filled(row), func(col int) bool {
		return s.header.is(col, amountFields) && strings.ContainsFunc(row.Cells[col].Text, isDigit)
	})
}

// wrapped reports whether a row may be a part of the texts of another: it has no
// amount, and its label is a part of one, such as 001 or /A.
func (s *sheet) wrapped(row tables.Row) bool {
	part := false
	for _, col := range filled(row) {
		text := row.Cells[col].Text
		label := s.header.is(col, labelFields)
		if s.header.is(col, amountFields) || strings.Contains(text, ":") || totals(fold(text)) ||
			label && (strings.Contains(text, " ") || !strings.ContainsFunc(text, isDigit) && !strings.ContainsAny(text[:1], "-/")) {
			return false
		}
		part = part || label || s.header.is(col, textFields)
	}
	return part
}

// unjoined reports whether a row may be a part of the texts of one that is as near as
// rows of the table are.
func (s *sheet) unjoined(i int) bool {
	near := s.Rows[i].Below
	if i+1 < len(s.Rows) {
		near = min(near, s.Rows[i+1].Below)
	}
	return s.Printed && near < s.pitch*1.1 && s.wrapped(s.Rows[i])
}

// joined joins two lines of a cell: without a space beside a slash or a hyphen, and
// between the digits of a label.
func (s *sheet) joined(above, below string, col int) string {
	if above == "" || below == "" {
		return above + below
	}
	last, first := above[len(above)-1], below[0]
	if strings.IndexByte("-/", last) >= 0 || strings.IndexByte("-/", first) >= 0 || s.header.is(col, labelFields) && isDigit(rune(last)) && isDigit(rune(first)) {
		return above + below
	}
	return above + " " + below
}

// onlyText reports whether a row has only a part of the name of produce.
func (s *sheet) onlyText(row tables.Row) bool {
	cells := filled(row)
	return len(cells) > 0 && !slices.ContainsFunc(cells, func(col int) bool { return !s.header.is(col, textFields[:2]) })
}
