package layout

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// numbered is the printed lines of tables with a column of pallet numbers, on all their pages.
type numbered struct {
	lines   []*tables.Cell // those of the column
	sums    []int          // the boxes above each line, and all
	numbers []palletNumber
}

// palletNumber is a printed number. Its height is 2i+1 beside line i, 2i between it and the one above.
type palletNumber struct {
	cell   *tables.Cell
	height int
	alone  bool // in its row
}

// add adds the lines of a table, and the pallet numbers beside and between them.
func (p *numbered) add(t Table) {
	label, labelled := t.columns[vocabulary.PalletNumber]
	col, counted := t.columns[vocabulary.Boxes]
	if !t.Printed || t.Kind != list.LinesLayout || !labelled || !counted {
		return
	}
	for i := t.To; i < len(t.Rows); i++ {
		row := widened(t.Rows[i], max(col, label)+1)
		boxes, err := strconv.Atoi(row.Cells[col].Text)
		n := palletNumber{&row.Cells[label], 2 * len(p.lines), err != nil}
		loose := t.Loose[i] && len(Filled(row)) <= 1
		if t.Captions[i] || t.Repeats[i] || IsTotal(row) || n.alone && !loose {
			continue
		}
		t.Rows[i] = row
		if !n.alone {
			p.lines, p.sums = append(p.lines, n.cell), append(p.sums, p.sums[len(p.lines)]+boxes)
			n.height++
		}
		if n.cell.Below > row.Cells[col].Below {
			n.height = 2 * len(p.lines)
		}
		if k := len(p.numbers) - 1; k >= 0 && p.numbers[k].height == n.height && p.numbers[k].cell.Text == n.cell.Text {
			n.cell.Text = "" // on both pages of its merged cell
		} else if n.cell.Text != "" {
			p.numbers = append(p.numbers, n)
		}
	}
}

// bounds returns where pallets begin and the last ends, with numbers at the first line, the last, and the middle.
func (p *numbered) bounds() [3][]int {
	first, last, middle := []int(nil), []int{0}, []int{0}
	for i, n := range p.numbers {
		first, last = append(first, (n.height-1)/2), append(last, (n.height+1)/2)
		middle = append(middle, n.height-middle[i])
	}
	return [...][]int{append(first, len(p.lines)), last, middle}
}

// even returns how many pallets have the same number of boxes, or 0 if these are not the bounds of all.
func (p *numbered) even(bounds []int) (most int) {
	count := map[int]int{}
	for i := 1; i < len(bounds); i++ {
		from, to := bounds[i-1], bounds[i]
		if bounds[0] != 0 || to <= from || to > len(p.lines) || bounds[len(bounds)-1] != len(p.lines) {
			return 0
		}
		boxes := p.sums[to] - p.sums[from]
		count[boxes]++
		most = max(most, count[boxes])
	}
	return most
}

// raise moves pallet numbers in merged cells without rules to the first line of each pallet: from
// elsewhere where no other place is possible, or where most pallets have as many boxes only then.
func (p *numbered) raise() error {
	between := func(n palletNumber) bool { return n.height%2 == 0 }
	best := p.bounds()[2]
	if !slices.ContainsFunc(p.numbers, between) || p.even(best) == 0 {
		p.numbers = slices.DeleteFunc(p.numbers, func(n palletNumber) bool { return n.alone })
		i := slices.IndexFunc(p.numbers, between) // all may be a little below their lines
		if i >= 0 && slices.ContainsFunc(p.numbers, func(n palletNumber) bool { return !between(n) }) {
			return &tables.Unreadable{Code: "no_pallets", Detail: "pallet number " + p.numbers[i].cell.Text +
				" is between two lines, and not in the middle of those of a pallet"}
		}
		best = nil
		for _, b := range p.bounds() {
			if even := p.even(b); even > p.even(best) && (best == nil || even*2 >= len(p.numbers)) {
				best = b
			}
		}
	}
	for i := 1; i < len(best); i++ {
		from, to := p.numbers[i-1].cell, p.lines[best[i-1]]
		from.Text, to.Text = to.Text, from.Text
	}
	return nil
}

// Fields by what a wrapped line may have of them.
var (
	labelFields = []vocabulary.Field{vocabulary.PalletNumber, vocabulary.SSCC}
	nameFields  = []vocabulary.Field{vocabulary.Produce, vocabulary.Variety}
)

// is reports whether a column has one of some fields.
func (t Table) is(col int, fields []vocabulary.Field) bool {
	return col < len(t.Headings) && slices.Contains(fields, t.Headings[col].Meaning.Field)
}

// unwrapped returns a printed table whose names that continue in the next row are joined, also
// on the next page. Other texts as near as the rows are loose.
func (t Table) unwrapped(before *Table) Table {
	if !t.Printed {
		return t
	}
	t.Loose = map[int]bool{}
	near := 1.1 * t.distance()
	var line *tables.Row
	if before != nil && t.Sizes == nil {
		line = before.last
	}
	for i := t.To; i < len(t.Rows); i++ {
		switch row := t.Rows[i]; {
		case len(Worded(row)) == 0: // a rule of dashes
			t.Rows[i].Cells = nil
		case t.counts(row):
			line = &t.Rows[i]
		case line != nil && row.Below <= near && t.continues(row, nameFields) && !isPallet(captionsIn(row)):
			*line = joined(*line, row)
			t.Rows[i].Cells = nil
		default:
			line = nil
			t.Loose[i] = (row.Below < near || i+1 < len(t.Rows) && t.Rows[i+1].Below < near) &&
				t.continues(row, slices.Concat(labelFields, nameFields, []vocabulary.Field{vocabulary.Calibre}))
		}
	}
	t.last = line
	return t
}

// distance returns the usual distance of rows with an amount.
func (t Table) distance() float64 {
	var all []float64
	for _, row := range t.Rows[t.To:] {
		if t.counts(row) {
			all = append(all, row.Below)
		}
	}
	if slices.Sort(all); all == nil {
		return math.Inf(1)
	}
	return all[len(all)/2]
}

// joined returns a row with the texts of the next.
func joined(row, next tables.Row) tables.Row {
	row = widened(row, len(next.Cells))
	for col, c := range next.Cells {
		row.Cells[col].Text = strings.TrimSpace(row.Cells[col].Text + " " + c.Text)
	}
	return row
}

// counts reports whether a row has an amount.
func (t Table) counts(row tables.Row) bool {
	return slices.ContainsFunc(Filled(row), func(col int) bool {
		return t.is(col, amounts) && IsQuantity(row.Cells[col].Text)
	})
}

// continues reports whether the texts of a row may be a part of another's: of some fields, no labels or totals.
func (t Table) continues(row tables.Row, fields []vocabulary.Field) bool {
	cells := Filled(row)
	return cells != nil && !slices.ContainsFunc(cells, func(col int) bool {
		text := row.Cells[col].Text
		label := t.is(col, labelFields) && (strings.Contains(text, " ") || !strings.ContainsFunc(text, isDigit))
		return !t.is(col, fields) || label || strings.Contains(text, ":") || vocabulary.IsTotal(vocabulary.Fold(text))
	})
}
