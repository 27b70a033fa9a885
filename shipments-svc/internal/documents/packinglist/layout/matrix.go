package layout

import (
	"regexp"
	"slices"
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sizeText matches the calibres that head the columns of a matrix.
var sizeText = regexp.MustCompile(`^(?i:\d{1,3}(?:[-/+]\d{1,3})?s?|[1-5]?x{0,4}(?:l|m|s|j)+|[1-5]x{1,3}|[a-d]{1,3}|[1-6]j{0,3})$`)

// sizes returns the columns whose own headings are calibres, under a group heading that
// says so or with no other meaning: at least two or three.
func (h header) sizes(own []string) (all []int) {
	seen, grouped, plain := map[string]bool{}, 0, 0
	for col, text := range own {
		m := h.means[col]
		if !sizeText.MatchString(text) || m.Field != vocabulary.None && m.Field != vocabulary.Calibre {
			continue
		}
		if seen[text] {
			return nil
		}
		seen[text] = true
		if all = append(all, col); m.Field == vocabulary.Calibre {
			grouped++
		} else {
			plain++
		}
	}
	if grouped < 2 && plain < 3 {
		return nil
	}
	return all
}

// totalColumn returns the column of the boxes of a pallet beside those of each calibre,
// or -1.
func totalColumn(headings []Heading) int {
	return slices.IndexFunc(headings, func(h Heading) bool { return h.Meaning.Field == vocabulary.Boxes || h.Meaning.Rule == "total-of-sizes" })
}

// matrix returns a table with the boxes of each calibre in a column as a table of lines:
// a row for each calibre of a pallet. Other tables are returned as they are.
func (t Table) matrix() Table {
	own := make([]string, len(t.Headings))
	for _, row := range t.header.rows {
		for col, c := range row.Cells {
			if c.Text != "" {
				own[col] = c.Text
			}
		}
	}
	t.Sizes = t.header.sizes(own)
	total := totalColumn(t.Headings)
	if t.Sizes == nil || !t.sums(total) {
		t.Sizes = nil
		return t
	}
	for _, col := range t.Sizes {
		t.Headings[col] = Heading{Text: own[col], Meaning: vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "matrix"}}
	}
	if total >= 0 {
		t.Headings[total].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "total-of-sizes"}
	}
	for _, f := range []vocabulary.Field{vocabulary.Calibre, vocabulary.Boxes} {
		t.Headings = append(t.Headings, Heading{Text: "", Virtual: true, Meaning: vocabulary.Meaning{Field: f, Score: 1, Rule: "matrix"}})
	}
	return t.unpivoted()
}

// sums reports whether the cells of the calibres are numbers, and their sums are those of
// the column of totals, if there is one, in at least 90 % of the rows.
func (t Table) sums(total int) bool {
	rows, agree := 0, 0
	for _, row := range t.Rows[t.To:] {
		sum, n := t.sumOf(row)
		if n < 0 {
			return false
		}
		if n == 0 {
			continue
		}
		rows++
		if v, ok := cellNumber(row, total); total < 0 || ok && v == sum {
			agree++
		}
	}
	return rows > 0 && agree*10 >= rows*9
}

// sumOf returns the sum of the calibres of a row, and how many have boxes; -1: one is no
// number.
func (t Table) sumOf(row tables.Row) (sum float64, n int) {
	for _, col := range t.Sizes {
		if col >= len(row.Cells) || row.Cells[col].Merged {
			continue
		}
		v, ok := cellNumber(row, col)
		switch {
		case ok && v > 0:
			sum, n = sum+v, n+1
		case !ok && row.Cells[col].Text != "" && slices.ContainsFunc([]rune(row.Cells[col].Text), isDigit):
			return 0, -1
		}
	}
	return sum, n
}

func cellNumber(row tables.Row, col int) (float64, bool) {
	if col < 0 || col >= len(row.Cells) {
		return 0, false
	}
	return plainNumber(row.Cells[col].Text)
}

// unpivoted returns the table with a row for each calibre that has boxes.
func (t Table) unpivoted() Table {
	t.Kind = shipments.MatrixLayout
	calibre := len(t.Headings) - 2
	rows := slices.Clone(t.Rows[:t.To])
	for _, row := range t.Rows[t.To:] {
		sum, n := t.sumOf(row)
		label := len(row.Cells) > 0 && slices.ContainsFunc(Filled(row)[:min(3, len(Filled(row)))], func(col int) bool {
			return vocabulary.IsTotal(vocabulary.Fold(row.Cells[col].Text))
		})
		if cells := Filled(row); len(cells) > 0 && cells[0] >= t.Sizes[0] {
			label = true // a row of sums
		}
		if n <= 0 || label {
			if n > 0 {
				row = widened(row, calibre+2)
				row.Cells[calibre+1] = tables.Cell{Text: strconv.FormatFloat(sum, 'f', -1, 64)}
			}
			rows = append(rows, row)
			continue
		}
		first := true
		for _, col := range t.Sizes {
			v, ok := cellNumber(row, col)
			if !ok || v <= 0 {
				continue
			}
			line := widened(row, calibre+2)
			for i := range line.Cells {
				line.Cells[i].Merged = line.Cells[i].Merged || !first
			}
			line.Cells[calibre] = tables.Cell{Text: t.Headings[col].Text}
			line.Cells[calibre+1] = row.Cells[col]
			first = false
			rows = append(rows, line)
		}
	}
	t.Rows = rows
	return t
}

// widened returns a row with its own cells, at least so many.
func widened(row tables.Row, cells int) tables.Row {
	own := make([]tables.Cell, max(cells, len(row.Cells)))
	copy(own, row.Cells)
	row.Cells = own
	return row
}

// turnedTable returns a table whose headings are in its first column with rows and
// columns exchanged. better is false for other tables.
func turnedTable(t tables.Table, h header, ok bool) (turned Table, better bool) {
	const fewest, most = 4, 120 // rows
	if ok || t.Printed || len(t.Rows) < fewest || len(t.Rows) > most {
		return turned, false
	}
	width := 0
	for _, row := range t.Rows {
		width = max(width, len(row.Cells))
	}
	exchanged := tables.Table{Name: t.Name, Rows: make([]tables.Row, width)}
	for i := range exchanged.Rows {
		cells := make([]tables.Cell, len(t.Rows))
		for n, row := range t.Rows {
			if i < len(row.Cells) {
				cells[n] = row.Cells[i]
			}
		}
		exchanged.Rows[i] = tables.Row{Number: i + 1, Cells: cells}
	}
	if h, better = headerOf(exchanged.Rows); !better || h.kind != shipments.LinesLayout {
		return turned, false
	}
	turned = Table{Table: exchanged, Kind: h.kind, From: h.from, To: h.to, Headings: h.headings(), header: h}
	for _, row := range t.Rows {
		turned.numbers = append(turned.numbers, row.Number)
	}
	return turned, true
}
