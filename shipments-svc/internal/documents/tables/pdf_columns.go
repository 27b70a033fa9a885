package tables

import (
	"slices"
	"strings"
	"unicode"
)

// columns are the columns of a document's tables.
type columns struct {
	edges []float64 // between columns, from left to right, in points; none: each line has its own columns
	usual int       // usual number of words of a line
}

const (
	// gap is the minimum distance of columns, in widths of a space.
	gap = 1.6
	// fewLines is the number of lines that are too few to detect columns.
	fewLines = 3
	// stray is the share of lines, one in stray, that may cross a gap between
	// columns, such as totals and long texts.
	stray = 25
)

// columnsOf detects the columns of all pages: vertical gaps through the lines of
// tables. Lines with far fewer words than usual, such as totals and letterheads,
// do not count.
func columnsOf(pages [][]textLine) columns {
	var lines []textLine
	for _, page := range pages {
		for _, line := range page {
			if tabular(line) {
				lines = append(lines, line)
			}
		}
	}
	slices.SortStableFunc(lines, func(a, b textLine) int { return len(b) - len(a) })
	c := columns{}
	if len(lines) > 0 {
		c.usual = len(lines[len(lines)/2])
		lines = slices.DeleteFunc(lines, func(line textLine) bool { return !c.full(line) })
	}
	if len(lines) >= fewLines {
		c.edges = wrapped(gaps(lines), pages)
	}
	return c
}

// wrapped returns the middles of gaps. A gap with single phrases on the lines
// between those of the table is a column of wrapped cells.
func wrapped(gaps [][2]float64, pages [][]textLine) (edges []float64) {
	var between []textLine
	for _, page := range pages {
		first := slices.IndexFunc(page, tabular)
		last := len(page) - 1
		for last > first && !tabular(page[last]) {
			last--
		}
		for i := first; first >= 0 && i <= last; i++ {
			if len(phrases(page[i])) == 1 {
				between = append(between, page[i])
			}
		}
	}
	for _, g := range gaps {
		left, right, n := g[1], g[0], 0
		for _, line := range between {
			if from, to := line[0].left, line[len(line)-1].right; from > g[0] && to < g[1] {
				left, right = min(left, from), max(right, to)
				n++
			}
		}
		if n >= fewLines {
			edges = append(edges, (g[0]+left)/2, (right+g[1])/2)
		} else {
			edges = append(edges, (g[0]+g[1])/2)
		}
	}
	return edges
}

// full reports whether a line has about the usual number of words.
func (c columns) full(line textLine) bool { return len(line)*4 >= c.usual*3 }

// gaps returns the bounds of the gaps that almost no line crosses.
func gaps(lines []textLine) (all [][2]float64) {
	var covered [maxExtent + 1]int
	space := 0.0
	for _, line := range lines {
		space += line[0].space
		for _, w := range line {
			for x := max(int(w.left), 0); x <= min(int(w.right), maxExtent); x++ {
				covered[x]++
			}
		}
	}
	wide := int(max(2, gap*space/float64(len(lines))))
	for x, begin := 0, -1; x <= maxExtent; x++ {
		switch free := covered[x] <= len(lines)/stray; {
		case free && begin < 0:
			begin = x
		case !free && begin >= 0:
			if x-begin >= wide && begin > 0 {
				all = append(all, [2]float64{float64(begin), float64(x)})
			}
			begin = -1
		}
	}
	return all
}

// tabular reports whether a line is like one of a table: several words, of which
// two are numbers.
func tabular(line textLine) bool {
	const words, numbers = 4, 2
	n := 0
	for _, w := range line {
		if strings.ContainsFunc(w.text, unicode.IsDigit) && !strings.ContainsFunc(w.text, unicode.IsLetter) {
			n++
		}
	}
	return len(line) >= words && n >= numbers
}

// several is the minimum number of phrases of a header row.
const several = 5

// cells returns the texts of a line by column. Phrases are not split, except in
// tables with narrow gaps.
func (c columns) cells(line textLine) []Cell {
	var cells []Cell
	put := func(column int, text string) {
		for len(cells) <= min(column, MaxColumns-1) {
			cells = append(cells, Cell{})
		}
		if column < MaxColumns {
			cells[column].Text = strings.TrimSpace(cells[column].Text + " " + text)
		}
	}
	all := phrases(line)
	row := (len(all) >= several || tabular(line)) && c.full(line)
	for i, phrase := range all {
		left, right := phrase[0].left, phrase[len(phrase)-1].right
		switch {
		case c.edges == nil:
			put(i, text(phrase))
		case row && c.column(left) != c.column(right) && c.apart(phrase):
			for _, w := range phrase {
				put(c.column((w.left+w.right)/2), w.text)
			}
		case row:
			put(c.column((left+right)/2), text(phrase))
		default:
			put(max(c.column(left), len(cells)), text(phrase))
		}
	}
	return cells
}

// column returns the column of a point.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// apart reports whether a phrase across several columns is to be split: none of its
// words crosses an edge, as in sentences and headings wider than their column.
func (c columns) apart(phrase textLine) bool {
	return !slices.ContainsFunc(phrase, func(w word) bool { return c.column(w.left) != c.column(w.right) })
}

// phrases joins the words of a line that are separated by single spaces.
func phrases(line textLine) (all []textLine) {
	for i, w := range line {
		if i > 0 && w.left-line[i-1].right < gap*w.space {
			all[len(all)-1] = append(all[len(all)-1], w)
		} else {
			all = append(all, textLine{w})
		}
	}
	return all
}

func text(phrase textLine) string {
	var all []string
	for _, w := range phrase {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}
