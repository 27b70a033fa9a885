package layout

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// sizeText matches the calibres that head the columns of a matrix.
var sizeText = regexp.MustCompile(
	`^(?i:[<>]?\d{1,3}(?:[-/+]\d{1,3})?(?:\+|'?s)?|[1-5]?x{0,4}(?:l|m|s|j)+|[1-5]x{1,3}|[a-d]{1,3}|[1-6]j{0,3})$`,
)

// sizedText matches the letters of sizes.
var sizedText = regexp.MustCompile(`^(?i:[1-5]?x{0,4}[lmsj]+)$`)

// IsSized reports whether a text is a word or letters of a size, which no class has: Jumbo, XL.
func IsSized(text string) bool {
	return sizedText.MatchString(text) ||
		!strings.ContainsFunc(text, isDigit) && vocabulary.Sized.MatchString(vocabulary.Fold(text))
}

// IsSize reports whether a text is like a calibre that is no plain number: XL, 1X, 2J.
func IsSize(text string) bool {
	return sizeText.MatchString(text) && strings.ContainsFunc(text, unicode.IsLetter) || IsSized(text)
}

// sizeColumns returns the columns whose own headings are calibres, under a group heading
// that says so, with a word before, or with no other meaning: at least two or three.
func (h header) sizeColumns() (all []int) {
	seen, named := map[string]bool{}, 0
	for col := range h.own {
		_, size := h.sizeOf(col)
		f := h.Headings[col].Meaning.Field
		sized := f == vocabulary.Calibre || f == vocabulary.Pieces
		alone := h.top[col] != "" && h.top[col] != h.own[col] && !h.shared(col)
		if f != vocabulary.None && (!sized || alone) || !sizeText.MatchString(size) && !IsSized(size) {
			continue
		}
		if seen[h.Headings[col].Text] {
			return nil
		}
		seen[h.Headings[col].Text] = true
		if all = append(all, col); sized {
			named++
		}
	}
	if named < 2 && len(all)-named < 3 {
		return nil
	}
	return all
}

// shared reports whether the heading in the first row above a column is also that of a neighbour.
func (h header) shared(col int) bool {
	return col > 0 && h.top[col-1] == h.top[col] || col+1 < len(h.top) && h.top[col+1] == h.top[col]
}

// sizeOf returns the calibre that heads a column, and its group: that of the row above, or
// the words before it, as in HASS 16. A word for something else, as in CALIBRE 6, is no group.
func (h header) sizeOf(col int) (group, size string) {
	own, i := h.own[col], strings.LastIndexByte(h.own[col], ' ')
	group = strings.TrimSpace(strings.TrimSuffix(h.Headings[col].Text, own))
	if i > 0 && !IsSized(own) {
		group, own = strings.TrimSpace(group+" "+own[:i]), own[i+1:]
	}
	if f := h.known.under("", group).Field; f != vocabulary.None && !slices.Contains(nameFields, f) {
		group = ""
	}
	return group, strings.TrimSuffix(own, "'s")
}

// asMatrix returns a table whose columns are calibres with columns for the calibre and its boxes.
func (t Table) asMatrix() Table {
	h := t.header
	serial := func(col int) bool { return Enumerates(t.Rows[t.To:], col) } // S: a serial number
	t.Sizes = slices.DeleteFunc(slices.Clone(h.sizes), serial)
	if len(t.Sizes) == 0 {
		return t
	}
	t.groups = map[int]string{}
	distinct := map[string]bool{}
	none := vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "matrix"}
	for _, col := range t.Sizes {
		t.groups[col], t.Headings[col].Text = h.sizeOf(col)
		t.Headings[col].Meaning = none
		distinct[t.groups[col]] = true
	}
	t.total = slices.IndexFunc(t.Headings, func(h Heading) bool { return h.Meaning.Field == vocabulary.Boxes })
	if t.total < 0 {
		t.total = slices.IndexFunc(h.own, func(text string) bool { return vocabulary.OnlyTotal(vocabulary.Fold(text)) })
	}
	if t.total >= 0 {
		t.Headings[t.total].Meaning = none
	}
	t.add("", "matrix", vocabulary.Calibre, vocabulary.Boxes)
	if len(distinct) > 1 || !distinct[""] {
		t.add("", "matrix", vocabulary.Variety)
	} else {
		t.groups = nil
	}
	return t
}

// add adds columns that the layout fills.
func (t *Table) add(heading, rule string, fields ...vocabulary.Field) {
	for _, f := range fields {
		m := vocabulary.Meaning{Field: f, Score: 1, Rule: rule}
		t.Headings = append(t.Headings, Heading{Text: heading, Virtual: true, Meaning: m})
	}
}

// boxes returns the boxes of each calibre of a row, and their sum.
func (t Table) boxes(row tables.Row) (all []float64, sum float64) {
	for _, col := range t.Sizes {
		v, _ := Number(row, col)
		all, sum = append(all, v), sum+v
	}
	return all, sum
}

// unpivoted returns a matrix with a row for each calibre that has boxes. Rows of totals, which
// may be those with the sums of all rows above, have one, with the boxes of all.
func (t Table) unpivoted() Table {
	if t.Sizes == nil {
		return t
	}
	t.Kind = list.MatrixLayout
	calibre, width := slices.IndexFunc(t.Headings, func(h Heading) bool { return h.Virtual }), len(t.Headings)
	lines, sums := 0, make([]float64, len(t.Sizes))
	rows := slices.Clone(t.Rows[:t.To])
	for _, row := range t.Rows[t.To:] {
		boxes, sum := t.boxes(row)
		cells := Filled(row)
		total, stated := Number(row, t.total)
		if !stated {
			total = sum
		}
		labelled := slices.ContainsFunc(cells[:min(3, len(cells))],
			func(col int) bool { return vocabulary.IsTotal(vocabulary.Fold(row.Cells[col].Text)) })
		if labelled && total > 0 || lines > 1 && slices.Equal(boxes, sums) {
			row = widened(row, width)
			if !labelled {
				row.Cells[0].Text = strings.TrimSpace("Total " + row.Cells[0].Text)
			}
			row.Cells[calibre+1] = tables.Cell{Text: strconv.FormatFloat(total, 'f', -1, 64)}
			rows = append(rows, row)
			continue
		} else if sum == 0 {
			rows = append(rows, row)
			continue
		}
		lines++
		first := true
		for i, col := range t.Sizes {
			if sums[i] += boxes[i]; boxes[i] == 0 {
				continue
			}
			line := widened(row, width)
			for n := range line.Cells {
				line.Cells[n].Merged = line.Cells[n].Merged || !first
			}
			line.Cells[calibre], line.Cells[calibre+1] = tables.Cell{Text: t.Headings[col].Text}, row.Cells[col]
			if t.groups != nil {
				line.Cells[calibre+2] = tables.Cell{Text: t.groups[col]}
			}
			rows, first = append(rows, line), false
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

// Enumerates reports whether the numbers of a column are consecutive.
func Enumerates(rows []tables.Row, col int) bool {
	n, last := 0, 0.0
	for _, row := range rows {
		v, ok := Number(row, col)
		switch {
		case !ok || IsTotal(row):
		case n == 0 || v == last+1:
			n, last = n+1, v
		default:
			return false
		}
	}
	return n > 2
}

// turned returns a sheet whose pallets are columns as one whose pallets are rows, below all other
// texts, and where these rows begin on the sheet.
func turned(t tables.Table) (_ tables.Table, from map[int]tables.Place) {
	var texts, lines []tables.Row
	from = map[int]tables.Place{}
	number := 1 << 21 // more than any sheet has rows
	for i := 0; i < len(t.Rows); i++ {
		block := blockOf(t.Rows[i:])
		if block == nil {
			texts = append(texts, t.Rows[i])
			continue
		}
		for _, col := range Filled(block[0]) {
			number++
			line := tables.Row{Number: number}
			for _, row := range block {
				line.Cells = append(line.Cells, widened(row, col+1).Cells[col])
			}
			from[number] = tables.Place{Row: block[0].Number, Column: col + 1}
			lines = append(lines, line)
		}
		i += len(block) - 1
	}
	t.Rows = append(texts, lines...)
	return t, from
}

// blockOf returns the first rows if they are pallets in columns: labels before values, first the pallet numbers.
func blockOf(rows []tables.Row) []tables.Row {
	to, first := 0, vocabulary.None // the field of the first row
	for ; to < len(rows) && rows[to].Number == rows[0].Number+to; to++ {
		cells := Filled(rows[to])
		if len(cells) < 3 || to == 0 && strings.ContainsFunc(rows[0].Cells[cells[0]].Text, isDigit) {
			break
		}
		m := vocabulary.MeaningOf(rows[to].Cells[cells[0]].Text)
		wordless := func(col int) bool {
			text := rows[to].Cells[col].Text
			return strings.Contains(text, ":") ||
				!strings.ContainsFunc(text, isDigit) && !vocabulary.IsTotal(vocabulary.Fold(text))
		}
		numbers := (to == 0 || m.Field == first) && slices.Contains(labelFields, m.Field) &&
			!slices.ContainsFunc(cells[1:], wordless)
		if numbers != (to == 0) || to == 1 && m.Field == vocabulary.None {
			break
		} else if to == 0 {
			first = m.Field
		}
	}
	if to < 2 {
		return nil
	}
	return rows[:to]
}
