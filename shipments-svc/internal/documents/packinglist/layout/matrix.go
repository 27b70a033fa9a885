package layout

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// sizeText matches the calibres that head the columns of a matrix.
var sizeText = regexp.MustCompile(
	`^(?i:\d{1,3}(?:[-/+]\d{1,3})?s?|[1-5]?x{0,4}(?:l|m|s|j)+|[1-5]x{1,3}|[a-d]{1,3}|[1-6]j{0,3})$`,
)

// IsSize reports whether a text is like a calibre that is no plain number: XL, 1X, 2J.
func IsSize(text string) bool {
	return sizeText.MatchString(text) && strings.ContainsFunc(text, unicode.IsLetter)
}

// sizes returns the columns whose own headings are calibres, under a group heading that
// says so, with the word before, or with no other meaning: at least two or three.
func (h header) sizes(own []string) (all []int) {
	seen, grouped, plain := map[string]bool{}, 0, 0
	for col, text := range own {
		m := h.means[col]
		size := sizeOf(text)
		named := group(h.texts[col], text) != "" && (m.Field == vocabulary.Produce || m.Field == vocabulary.Variety)
		if !sizeText.MatchString(size) || m.Field != vocabulary.None && m.Field != vocabulary.Calibre && !named {
			continue
		}
		if seen[h.texts[col]] {
			return nil
		}
		seen[h.texts[col]] = true
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

// group returns the group heading above a heading, or "".
func group(text, own string) string { return strings.TrimSpace(strings.TrimSuffix(text, own)) }

// sizeOf returns a heading without a word for the calibre before it: "CALIBRE 6".
func sizeOf(text string) string {
	if word, size, ok := strings.Cut(text, " "); ok && vocabulary.MeaningOf(word).Field == vocabulary.Calibre {
		return size
	}
	return text
}

// totalColumn returns the column of the boxes of a pallet beside those of each calibre,
// or -1.
func totalColumn(headings []Heading, own []string) int {
	if col := slices.IndexFunc(headings, func(h Heading) bool { return h.Meaning.Field == vocabulary.Boxes }); col >= 0 {
		return col
	}
	return slices.IndexFunc(own, func(text string) bool { return vocabulary.OnlyTotal(vocabulary.Fold(text)) })
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
	t.Sizes = slices.DeleteFunc(
		t.Sizes,
		func(col int) bool { return enumerates(t.Rows[t.To:], col) },
	) // S: a serial number
	total := totalColumn(t.Headings, own)
	if t.Sizes == nil || !t.addUp(total) {
		t.Sizes = nil
		return t
	}
	t.groups = map[int]string{}
	for _, col := range t.Sizes {
		if above := group(t.Headings[col].Text, own[col]); vocabulary.MeaningOf(above).Field != vocabulary.Calibre {
			t.groups[col] = above
		}
		t.Headings[col] = Heading{
			Text:    sizeOf(own[col]),
			Meaning: vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "matrix"},
		}
	}
	if total >= 0 {
		t.Headings[total].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "total-of-sizes"}
	}
	fields := []vocabulary.Field{vocabulary.Calibre, vocabulary.Boxes}
	if several(t.groups) {
		fields = append(fields, vocabulary.Variety)
	} else {
		t.groups = nil
	}
	for _, f := range fields {
		t.Headings = append(
			t.Headings,
			Heading{Text: "", Virtual: true, Meaning: vocabulary.Meaning{Field: f, Score: 1, Rule: "matrix"}},
		)
	}
	return t.unpivoted()
}

// several reports whether the calibres are below several group headings.
func several(groups map[int]string) bool {
	distinct := map[string]bool{}
	for _, above := range groups {
		distinct[above] = true
	}
	return len(distinct) > 1
}

// addUp reports whether the cells of the calibres are numbers, and their sums are those of
// the column of totals, if there is one, in at least 90 % of the rows.
func (t Table) addUp(total int) bool {
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

// boxes returns the boxes of each calibre of a row.
func (t Table) boxes(row tables.Row) (all []float64) {
	for _, col := range t.Sizes {
		v, _ := cellNumber(row, col)
		all = append(all, v)
	}
	return all
}

// sums are the sums of the columns of some rows.
type sums struct {
	rows int
	each []float64
}

func (s *sums) add(row []float64) {
	s.rows++
	s.each = append(s.each, make([]float64, len(row)-len(s.each))...)
	for i, v := range row {
		s.each[i] += v
	}
}

// are reports whether a row has the sums of at least two others, in several columns.
func (s *sums) are(row []float64) bool {
	several := len(row) - len(slices.DeleteFunc(slices.Clone(row), func(v float64) bool { return v > 0 }))
	return s.rows > 1 && several > 1 && slices.Equal(s.each, row)
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
	calibre, width := slices.IndexFunc(t.Headings, func(h Heading) bool { return h.Virtual }), len(t.Headings)
	rows := slices.Clone(t.Rows[:t.To])
	var all, since sums
	for _, row := range t.Rows[t.To:] {
		sum, n := t.sumOf(row)
		cells := Filled(row)
		total := slices.ContainsFunc(cells[:min(3, len(cells))],
			func(col int) bool { return vocabulary.IsTotal(vocabulary.Fold(row.Cells[col].Text)) }) ||
			len(cells) > 0 && cells[0] >= t.Sizes[0] || all.are(t.boxes(row)) ||
			since.are(t.boxes(row))
		if n <= 0 || total {
			if n > 0 {
				row = widened(row, width)
				row.Cells[0].Text = cmp.Or(row.Cells[0].Text, "Total")
				if !vocabulary.IsTotal(vocabulary.Fold(row.Cells[0].Text)) {
					row.Cells[0].Text = "Total " + row.Cells[0].Text
				}
				row.Cells[calibre+1] = tables.Cell{Text: strconv.FormatFloat(sum, 'f', -1, 64)}
				since = sums{}
			}
			rows = append(rows, row)
			continue
		}
		all.add(t.boxes(row))
		since.add(t.boxes(row))
		first := true
		for _, col := range t.Sizes {
			v, ok := cellNumber(row, col)
			if !ok || v <= 0 {
				continue
			}
			line := widened(row, width)
			for i := range line.Cells {
				line.Cells[i].Merged = line.Cells[i].Merged || !first
			}
			line.Cells[calibre] = tables.Cell{Text: t.Headings[col].Text}
			line.Cells[calibre+1] = row.Cells[col]
			if t.groups != nil {
				line.Cells[calibre+2] = tables.Cell{Text: t.groups[col]}
			}
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

// turned returns a table with rows and columns exchanged, and the row of each of its
// columns; nil for tables that are too short, or too long to be turned.
func turned(t tables.Table) (exchanged tables.Table, numbers []int) {
	const fewest, most = 4, 120 // rows
	if t.Printed || len(t.Rows) < fewest || len(t.Rows) > most {
		return exchanged, nil
	}
	width := 0
	for _, row := range t.Rows {
		width = max(width, len(row.Cells))
		numbers = append(numbers, row.Number)
	}
	exchanged = tables.Table{Name: t.Name, Rows: make([]tables.Row, width)}
	for i := range exchanged.Rows {
		cells := make([]tables.Cell, len(t.Rows))
		for n, row := range t.Rows {
			if i < len(row.Cells) {
				cells[n] = row.Cells[i]
			}
		}
		exchanged.Rows[i] = tables.Row{Number: i + 1, Cells: cells}
	}
	return exchanged, numbers
}
