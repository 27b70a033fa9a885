package packinglist

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// worth is the score of a field for a row being the header.
var worth = [fieldsThereAre]int{
	palletField: 4, ssccField: 4, boxesField: 3, boxWeightField: 3, netField: 3, grossField: 2, weightField: 2,
	calibreField: 2, piecesField: 1, produceField: 2, varietyField: 2, packField: 1, lotField: 1, orchardField: 1, palletsField: 1,
}

// header is where a list's columns are.
type header struct {
	from, to int                 // indexes of its first row and of the row after it
	column   [fieldsThereAre]int // index of the column of each field; -1: none
	headings []string            // of each column, with its group headings
	meanings []meaning           // of each column
	folded   []string            // the headings, to be compared
	rows     []tables.Row        // that it was made of
	score    int
}

// maxHeaderRow is how deep below the top of a table its header may be, and
// maxHeaderRows how many rows it may have.
const (
	maxHeaderRow  = 200
	maxHeaderRows = 3
)

// clear is the strength of a heading that names little else than its field.
const clear = 17

// headerOf returns the header of a table: the one to maxHeaderRows rows whose
// headings have the highest score. ok is false if none names the pallet and a
// number of boxes or a weight.
func headerOf(rows []tables.Row) (best header, ok bool) {
	for from := range min(len(rows), maxHeaderRow) {
		for n := 1; n <= maxHeaderRows && from+n <= len(rows); n++ {
			if n > 1 && (rows[from+n-1].Number-rows[from].Number >= maxHeaderRows || title(rows[from])) {
				break
			}
			for _, spread := range []bool{false, true} {
				h := parseHeader(rows[from:from+n], spread)
				h.from, h.to = from, from+n
				h.resolveLabels(rows[h.to:])
				if h.complete() && h.score > best.score {
					best, ok = h, true
				}
			}
		}
	}
	for _, heading := range best.headings {
		best.folded = append(best.folded, fold(heading))
	}
	return best, ok
}

// title reports whether a row has a single text, in its first column.
func title(row tables.Row) bool {
	cells := filled(row)
	return len(cells) == 1 && cells[0] == 0
}

// parseHeader parses rows as a header. With spread, a group heading also applies
// to the empty cells on its right.
func parseHeader(rows []tables.Row, spread bool) header {
	h := header{rows: rows}
	for i := range h.column {
		h.column[i] = -1
	}
	var above, own []string // of each column: its lowest text, and the texts above
	for i, row := range rows {
		group := ""
		for col := range max(len(own), len(row.Cells)) {
			text := ""
			if col < len(row.Cells) {
				text = row.Cells[col].Text
			}
			if col == len(own) {
				own, above = append(own, ""), append(above, "")
			}
			if text != "" {
				group = text
			} else if spread && i < len(rows)-1 && col < len(row.Cells)+maxHeaderRows {
				text = group
			}
			if text != "" && text != own[col] {
				above[col], own[col] = strings.TrimSpace(above[col]+" "+own[col]), text
			}
		}
	}
	for col := range own {
		h.headings = append(h.headings, strings.TrimSpace(above[col]+" "+own[col]))
		h.meanings = append(h.meanings, meaningUnder(above[col], own[col]))
	}
	h.assign()
	for _, row := range rows {
		h.score -= numbersIn(row)
	}
	h.score -= len(rows) - 1
	return h
}

// assign maps each field to the column whose heading names it best, the first of
// several.
func (h *header) assign() {
	for col, m := range h.meanings {
		if f := m.field; f != noField && (h.column[f] < 0 || m.strength > h.meanings[h.column[f]].strength) {
			h.column[f] = col
		}
	}
	if col := h.column[produceWeightField]; col >= 0 && !h.has(netField) && !h.has(boxWeightField) && unitIn(h.headings[col]) > 1 {
		h.column[netField], h.meanings[col].field = col, netField
	}
	for f, col := range h.column {
		if col >= 0 {
			h.score += worth[f]
			if worth[f] > 0 && h.meanings[col].strength < clear {
				h.score -= 2
			}
		}
	}
	if h.has(piecesField) && !h.has(calibreField) {
		h.column[calibreField] = h.column[piecesField]
	}
}

// resolveLabels decides by the rows below. A column of items without numbers is
// the produce. A column of pallets is the pallet number, if there is no other and
// its values are unique labels rather than counts.
func (h *header) resolveLabels(rows []tables.Row) {
	if col := h.column[lineField]; col >= 0 && !h.has(produceField) && !h.has(varietyField) && slices.ContainsFunc(rows, func(row tables.Row) bool {
		return col < len(row.Cells) && len(filled(row)) > 2 && !strings.ContainsFunc(row.Cells[col].Text, isDigit) && row.Cells[col].Text != ""
	}) {
		h.column[produceField], h.column[lineField] = col, -1
		h.score += worth[produceField]
	}
	if col := h.column[boxesField]; col >= 0 && (h.meanings[col].strength < clear+2 || singular(h.headings[col])) && enumerates(rows, col) {
		h.column[boxesField], h.meanings[col] = -1, meaning{field: otherField, resembles: boxesField, reason: "it is the number of a box"}
		h.score -= worth[boxesField]
	}
	if h.has(palletField) || h.has(ssccField) || !h.has(palletsField) {
		return
	}
	seen := map[string]bool{}
	ranges := false
	for _, row := range rows {
		if col := h.column[palletsField]; col < len(row.Cells) && row.Cells[col].Text != "" {
			text := row.Cells[col].Text
			s, _ := spanOf(text)
			ranges = ranges || s.pallets() > 1
			if v, ok := plainNumber(text); seen[text] || ok && v < shipments.MaxPallets/100 && !strings.HasPrefix(text, "0") && !ranges {
				return
			}
			seen[text] = true
		}
	}
	h.column[palletField], h.column[palletsField] = h.column[palletsField], -1
	h.score += worth[palletField]
}

// enumerates reports whether the numbers of a column are consecutive, also from 0 or
// 1 again.
func enumerates(rows []tables.Row, col int) bool {
	longest, n, first, last := 0, 0, 0.0, 0.0
	for _, row := range rows {
		if col >= len(row.Cells) {
			continue
		}
		switch v, ok := plainNumber(row.Cells[col].Text); {
		case !ok:
		case longest == 0:
			longest, n, first, last = 1, 1, v, v
		case v == last+1:
			n, last = n+1, v
			longest = max(longest, n)
		case v == first && v <= 1:
			n, last = 1, v
		default:
			return false
		}
	}
	return longest > 2
}

// numbersIn scores the cells that are a number, also with its unit, or a label
// with its value, which a header row does not have.
func numbersIn(row tables.Row) (n int) {
	for _, cell := range row.Cells {
		_, value, labelled := strings.Cut(cell.Text, ":")
		if isQuantity(cell.Text) || labelled && strings.TrimSpace(value) != "" {
			n += 2
		}
	}
	return n
}

// isQuantity reports whether a text is a number, alone or before its unit.
func isQuantity(text string) bool {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" && !strings.HasPrefix(text, n.Digits) {
		return false
	}
	_, weight := numbers.Grams[n.Unit]
	unit, unknown := conceptsOf(n.Unit)
	_, ok = numbers.Value(n.Digits, numbers.Point)
	return ok && (weight || unit&^(boxWord|palletsWord|unitWord) == 0 && unknown == nil)
}

func (h header) has(f field) bool { return h.column[f] >= 0 }

// complete reports whether the header names the pallet and an amount.
func (h header) complete() bool {
	return (h.has(palletField) || h.has(ssccField)) &&
		(h.has(boxesField) || h.has(netField) || h.has(boxWeightField) || h.has(weightField) || h.has(grossField)) && h.score > 0
}

// repeats reports whether a row repeats most of the header, in its words or in
// another language.
func (h header) repeats(row tables.Row) bool {
	cells := filled(row)
	others, means := 0, 0
	for _, col := range cells {
		text := fold(row.Cells[col].Text)
		if col >= len(h.folded) || !strings.Contains(h.folded[col], text) || h.contradicts(col, text) {
			others++
		}
		if col < len(h.meanings) && h.meanings[col].field != noField && meaningOf(row.Cells[col].Text).field == h.meanings[col].field {
			means++
		}
		if others*4 > len(cells) && means == 0 {
			return false
		}
	}
	return len(cells) > 1 && (others*4 <= len(cells) || means > 2 && means*4 >= len(cells)*3)
}

// redefines reports whether a row that repeats the header gives a column another
// meaning or unit: "Net lb" below "Net kg", "Half cartons" below "Cartons".
func (h header) redefines(row tables.Row) bool {
	return numbersIn(row) == 0 && slices.ContainsFunc(filled(row), func(col int) bool {
		if col >= len(h.meanings) || h.reads(col, fold(row.Cells[col].Text)) {
			return false
		}
		m, unit := meaningOf(row.Cells[col].Text), unitIn(row.Cells[col].Text)
		return m.field != h.meanings[col].field || m.reason != h.meanings[col].reason || unit != 0 && unit != unitIn(h.headings[col])
	})
}

// contradicts reports whether a text that is a part of a heading, but not one of
// its rows, names another field: "Pallets" below "Pallet No".
func (h header) contradicts(col int, text string) bool {
	m := meaningOf(text)
	return m.strength > clear && m.field != h.meanings[col].field && !h.reads(col, text)
}

// reads reports whether a row of the header has a text, folded, in a column.
func (h header) reads(col int, text string) bool {
	return slices.ContainsFunc(h.rows, func(own tables.Row) bool { return col < len(own.Cells) && fold(own.Cells[col].Text) == text })
}
