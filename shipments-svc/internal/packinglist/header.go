package packinglist

import (
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/tables"
)

// field is what a column says of a line.
type field int

const (
	noField field = iota
	palletField
	ssccField
	palletsField // how many pallets a line has
	produceField
	varietyField
	calibreField
	boxesField
	boxWeightField // net weight of one box
	boxGrossField  // gross weight of one box
	netField       // net weight of the line
	grossField     // gross weight of the line
	weightField    // a weight: of what, the numbers must tell
	packField      // "CTN 4.5KG"
	lotField       //
	orchardField   //
	lineField      // counts lines
	containerField //
	otherField     // known, and of no use
	fieldsThereAre // how many there are
)

// rules say which field a heading names, by what its words stand for. The
// first whose concepts the heading has, and none of those it may not have,
// counts.
var rules = []struct {
	has, hasNot concept
	field       field
}{
	{ssccWord, 0, ssccField},
	{temperatureWord, 0, otherField},
	{taraWord, 0, otherField},
	{dateWord, 0, otherField},
	{palletWord | typeWord, 0, otherField},
	{palletWord | packWord, 0, otherField},
	{netWord | boxWord, 0, boxWeightField},
	{netWord | perWord, palletWord, boxWeightField},
	{grossWord | boxWord, 0, boxGrossField},
	{grossWord | perWord, palletWord, boxGrossField},
	{netWord, 0, netField},
	{grossWord, 0, grossField},
	{weightWord | boxWord, 0, boxWeightField},
	{unitWord | boxWord, packWord, boxWeightField},
	{weightWord | perWord, palletWord, boxWeightField},
	{unitWord | perWord, palletWord, boxWeightField},
	{weightWord | palletWord, 0, netField},
	{boxWord | typeWord, 0, packField},
	{boxWord | packWord, 0, packField},
	{boxWord, calibreWord | brandWord, boxesField},
	{packWord, 0, packField},
	{palletsWord, 0, palletsField},
	{palletWord | quantityWord, numberWord, palletsField},
	{palletWord | totalWord, numberWord, palletsField},
	{palletWord, lotWord | orchardWord, palletField},
	{lotWord, 0, lotField},
	{orchardWord, 0, orchardField},
	{containerWord, 0, containerField},
	{varietyWord, 0, varietyField},
	{calibreWord, 0, calibreField},
	{classWord, 0, otherField},
	{brandWord, 0, otherField},
	{produceWord, 0, produceField},
	{weightWord, 0, weightField},
	{lineWord, 0, lineField},
	{quantityWord, 0, boxesField},
	{unitWord, 0, weightField},
}

// worth says how much a field speaks for a row being the header.
var worth = [fieldsThereAre]int{
	palletField: 4, ssccField: 4, boxesField: 3, boxWeightField: 3, netField: 3, grossField: 2, weightField: 2,
	calibreField: 2, produceField: 2, varietyField: 2, packField: 1, lotField: 1, orchardField: 1, palletsField: 1,
}

// fieldOf returns the field that a heading names.
func fieldOf(heading string) field {
	const maxHeading, maxUnknown = 60, 3
	if len(heading) > maxHeading {
		return noField
	}
	concepts, unknown := conceptsOf(heading)
	if unknown > maxUnknown {
		return noField
	}
	for _, r := range rules {
		if concepts&r.has == r.has && concepts&r.hasNot == 0 {
			return r.field
		}
	}
	return noField
}

// header is where a list's columns are.
type header struct {
	from, to int                 // indexes of its first row and of the row after it
	column   [fieldsThereAre]int // index of the column that has a field; -1: none
	headings []string            // of each column, with what stands above and below
	folded   []string            // the same, to be compared
	score    int
}

// maxHeaderRow is how deep below the top of a table its header may be, and
// maxHeaderRows how many rows it may have.
const (
	maxHeaderRow  = 200
	maxHeaderRows = 3
)

// headerOf returns the header of a table: of the rows, alone or with those
// beneath them, the ones whose headings say most. ok is false where none says
// enough: which pallet, and how many boxes or what weight.
func headerOf(rows []tables.Row) (best header, ok bool) {
	for from := range min(len(rows), maxHeaderRow) {
		for n := 1; n <= maxHeaderRows && from+n <= len(rows); n++ {
			if n > 1 && (rows[from+n-1].Number-rows[from].Number >= maxHeaderRows || title(rows[from])) {
				break
			}
			for _, spread := range []bool{false, true} {
				if n == 1 && spread {
					break
				}
				h := headed(rows[from:from+n], spread)
				h.from, h.to = from, from+n
				h.labelled(rows[h.to:])
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

// title reports whether a row has nothing but one text at its beginning.
func title(row tables.Row) bool {
	cells := filled(row)
	return len(cells) == 1 && cells[0] == 0
}

// headed reads rows as a header. With spread, a heading above belongs to the
// columns to its right, too, as long as nothing else stands there.
func headed(rows []tables.Row, spread bool) header {
	h := header{}
	for i := range h.column {
		h.column[i] = -1
	}
	for i, row := range rows {
		above := ""
		for col := range max(len(h.headings), len(row.Cells)) {
			text := ""
			if col < len(row.Cells) {
				text = row.Cells[col].Text
			}
			if col == len(h.headings) {
				h.headings = append(h.headings, "")
			}
			if text != "" {
				above = text
			} else if spread && i < len(rows)-1 && col < len(row.Cells)+maxHeaderRows {
				text = above
			}
			if text != "" && !strings.HasSuffix(h.headings[col], text) {
				h.headings[col] = strings.TrimSpace(h.headings[col] + " " + text)
			}
		}
	}
	for col, heading := range h.headings {
		f := fieldOf(heading)
		if f != noField && h.column[f] < 0 {
			h.column[f] = col
			h.score += worth[f]
		}
	}
	for _, row := range rows {
		h.score -= numbersIn(row)
	}
	h.score -= len(rows) - 1
	return h
}

// labelled takes a column of pallets for that of their labels, where there is
// no other and its texts are labels rather than numbers of pallets.
func (h *header) labelled(rows []tables.Row) {
	if h.has(palletField) || h.has(ssccField) || !h.has(palletsField) {
		return
	}
	seen := map[string]bool{}
	for _, row := range rows {
		if col := h.column[palletsField]; col < len(row.Cells) && row.Cells[col].Text != "" {
			text := row.Cells[col].Text
			if v, ok := plainNumber(text); seen[text] || ok && v < shipments.MaxPallets/100 && !strings.HasPrefix(text, "0") {
				return
			}
			seen[text] = true
		}
	}
	h.column[palletField], h.column[palletsField] = h.column[palletsField], -1
}

// numbersIn counts the cells that are nothing but a number: a header has none.
func numbersIn(row tables.Row) (n int) {
	for _, cell := range row.Cells {
		if _, ok := plainNumber(cell.Text); ok {
			n += 2
		}
	}
	return n
}

func (h header) has(f field) bool { return h.column[f] >= 0 }

// complete reports whether the header has what makes a packing list.
func (h header) complete() bool {
	return (h.has(palletField) || h.has(ssccField)) &&
		(h.has(boxesField) || h.has(netField) || h.has(boxWeightField) || h.has(weightField) || h.has(grossField)) && h.score > 0
}

// repeats reports whether a row has the header, or most of it, again.
func (h header) repeats(row tables.Row) bool {
	cells := filled(row)
	others := 0
	for _, col := range cells {
		if col >= len(h.folded) || !strings.Contains(h.folded[col], fold(row.Cells[col].Text)) {
			if others++; others*4 > len(cells) {
				return false
			}
		}
	}
	return len(cells) > 1
}
