package tables

import (
	"slices"
	"strings"
	"unicode"
)

// columns are those of a document's tables.
type columns struct {
	edges []float64 // between them, from left to right, in points; without any, each line has columns of its own
	usual int       // words of a line
}

const (
	// gap is how many times as wide as a space is what separates columns.
	gap = 1.6
	// fewLines is how many lines of a table tell nothing about its columns.
	fewLines = 3
	// stray is one in how many lines may stand across a gap between columns:
	// a total, or a text that is too long.
	stray = 25
)

// columnsOf finds the columns of all pages: gaps that go down through the
// lines that look like those of a table. Of these, the ones with far fewer words
// than most are totals and letterheads, which keep to no columns.
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

// wrapped returns the middles of gaps. A gap in which single phrases stand, on
// lines between those of the table, is a column whose cells are wrapped.
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

// full reports whether a line has about as many words as most.
func (c columns) full(line textLine) bool { return len(line)*4 >= c.usual*3 }

// gaps returns where the gaps that almost no line stands across begin and end.
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

// tabular reports whether a line looks like one of a table: of several words,
// two of which are numbers.
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

// several is how many phrases a line of headings has at least.
const several = 5

// cells returns a line's texts by column. A phrase stays together, unless the
// line is one of a table whose columns are close to each other.
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

// column returns in which column a point is.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// apart reports whether a phrase that stands in several columns belongs to
// several: no word of it stands across an edge, as they do in a heading that
// is wider than its column and in a sentence.
func (c columns) apart(phrase textLine) bool {
	for _, w := range phrase {
		if c.column(w.left) != c.column(w.right) {
			return false
		}
	}
	return true
}

// phrases joins the words of a line that stand as far from each other as words
// do.
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
