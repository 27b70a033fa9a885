package layout

import (
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// numbering is the lines of printed tables by the place of their pallet numbers: in a merged cell
// without rules these may stand beside the last line of a pallet rather than the first.
type numbering struct {
	first, last []int // boxes of each pallet, if the numbers are beside its first or its last line
	begun       bool  // the first line has a number
	moves       []move
}

// move is a pallet number beside a last line, and its place beside the first.
type move struct{ from, to *tables.Cell }

// raise moves the pallet numbers of printed tables to the first line of each pallet: from the last
// where the first line of all has none, or where most pallets have as many boxes only then.
func raise(pages []Table) {
	var n numbering
	for i, t := range pages {
		col, labelled := t.columns[vocabulary.PalletNumber]
		if !t.Headed || !t.Printed || t.Kind != shipments.LinesLayout || !labelled {
			n.raise()
			n = numbering{}
			continue
		}
		if i > 0 && !t.Continues {
			n.raise()
			n = numbering{}
		}
		n.read(t, col)
	}
	n.raise()
}

// read adds the lines of a page.
func (n *numbering) read(t Table, label int) {
	// The first of the lines that wait for the number of their pallet, and their boxes.
	var top *tables.Cell
	boxes := 0
	for i := t.To; i < len(t.Rows); i++ {
		col, ok := t.columns[vocabulary.Boxes]
		row := widened(t.Rows[i], max(col, label)+1)
		count, err := strconv.Atoi(row.Cells[col].Text)
		if !ok || err != nil || t.Captions[i] || t.Repeats[i] || IsTotal(row) {
			continue
		}
		t.Rows[i] = row
		cell := &row.Cells[label]
		if boxes += count; top == nil {
			top = cell
		}
		if cell.Text == "" {
			if n.first != nil {
				n.first[len(n.first)-1] += count
			}
			continue
		}
		n.begun = n.begun || n.first == nil && cell == top
		n.first, n.last = append(n.first, count), append(n.last, boxes)
		n.moves = append(n.moves, move{cell, top})
		top, boxes = nil, 0
	}
}

// raise moves the numbers if they are beside the last lines.
func (n *numbering) raise() {
	even := evenness(n.last)
	if len(n.last) == 0 || n.begun && (even <= evenness(n.first) || even*2 < len(n.last)) {
		return
	}
	for _, m := range n.moves {
		if m.from != m.to {
			*m.to, *m.from = *m.from, tables.Cell{}
		}
	}
}

// evenness returns how many pallets have the usual number of boxes.
func evenness(boxes []int) (most int) {
	count := map[int]int{}
	for _, n := range boxes {
		count[n]++
		most = max(most, count[n])
	}
	return most
}
