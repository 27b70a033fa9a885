package layout

import (
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// numbered is a printed line: the cell of its pallet number, and its boxes.
type numbered struct {
	cell  *tables.Cell
	boxes int
}

// printed returns the printed lines of a table with a column of pallet numbers.
func (t Table) printed() (all []numbered) {
	label, labelled := t.columns[vocabulary.PalletNumber]
	col, counted := t.columns[vocabulary.Boxes]
	for i := t.To; t.Printed && t.Kind == shipments.LinesLayout && labelled && counted && i < len(t.Rows); i++ {
		row := widened(t.Rows[i], max(col, label)+1)
		boxes, err := strconv.Atoi(row.Cells[col].Text)
		if err == nil && !t.Captions[i] && !t.Repeats[i] && !IsTotal(row) {
			t.Rows[i], all = row, append(all, numbered{&row.Cells[label], boxes})
		}
	}
	return all
}

// raise moves pallet numbers beside the last line of each pallet, as in merged cells without rules, to
// the first: where the last line of all has one, and the first has none or most pallets have as many
// boxes only then.
func raise(lines []numbered) {
	below, above := map[int]int{}, map[int]int{} // how many pallets have a number of boxes, by where their lines are
	sum, pallets, even, uneven := 0, 0, 0, 0
	for i, l := range lines {
		if sum += l.boxes; l.cell.Text == "" {
			continue
		}
		own := l.boxes
		for n := i + 1; n < len(lines) && lines[n].cell.Text == ""; n++ {
			own += lines[n].boxes
		}
		above[sum]++
		below[own]++
		pallets, even, uneven, sum = pallets+1, max(even, above[sum]), max(uneven, below[own]), 0
	}
	if pallets == 0 || sum > 0 || lines[0].cell.Text != "" && (even <= uneven || even*2 < pallets) {
		return
	}
	top := 0
	for i, l := range lines {
		if l.cell.Text != "" {
			lines[top].cell.Text, lines[i].cell.Text = l.cell.Text, lines[top].cell.Text
			top = i + 1
		}
	}
}
