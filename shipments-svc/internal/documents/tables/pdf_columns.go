package tables

import (
	"slices"
	"strings"
)

// columns are the columns of a document's printed tables.
type columns struct {
	edges  []float64 // between columns, from left to right, in points; none: each line has its own
	starts []float64 // where headings and the texts below them begin
	usual  int       // usual number of words of a line
}

const (
	// fewLines is the number of lines that are too few to detect columns.
	fewLines = 3
	// fewPhrases is the minimum number of phrases of headings, several that of a row.
	fewPhrases, several = 3, 5
	// stray is the share of lines, one in stray, that may cross a gap between columns.
	stray = 10
)

// columnsOf detects the columns of all pages: vertical gaps through the lines of tables, and
// points at which texts begin below a heading. Lines unlike the others, such as totals and
// letterheads, do not count.
func columnsOf(pages []page) (c columns) {
	var lines []textLine
	var headings textLine
	for _, p := range pages {
		for _, row := range p.rows {
			if tabular(row) {
				lines = append(lines, slices.Concat(row...))
				continue
			}
			for _, line := range row {
				if len(lines) == 0 && len(line.phrases()) >= fewPhrases {
					headings = line
				}
			}
		}
	}
	lines = similar(lines)
	slices.SortStableFunc(lines, func(a, b textLine) int { return len(b) - len(a) })
	if len(lines) > 0 {
		c.usual = len(lines[len(lines)/2])
		lines = slices.DeleteFunc(lines, func(line textLine) bool { return !c.full(line) })
	}
	c.starts = aligned(headings, lines)
	if len(lines) > 0 {
		c.edges = edges(lines, c.starts)
	}
	return c
}

// full reports whether a line has about the usual number of words.
func (c columns) full(line textLine) bool { return len(line)*4 >= c.usual*3 }

// isRow reports whether lines are a row of the table.
func (c columns) isRow(row []textLine) bool {
	phrases := func(line textLine) bool { return len(line.phrases()) >= several }
	return (tabular(row) || slices.ContainsFunc(row, phrases)) && c.full(slices.Concat(row...))
}

func tabular(row []textLine) bool { return slices.ContainsFunc(row, textLine.tabular) }

// similar returns the lines of tables: most of their phrases begin, end or are centred
// where those of at least a third of the lines do, unlike those of footers and notes.
func similar(lines []textLine) []textLine {
	const third, half = 3, 2
	type point struct{ kind, at int }
	points := func(phrase textLine) [3]point {
		left, right := phrase.bounds()
		return [3]point{{0, int(left)}, {1, int(right)}, {2, int((left + right) / 2)}}
	}
	count := map[point]int{}
	for _, line := range lines {
		seen := map[point]bool{}
		for _, phrase := range line.phrases() {
			for _, p := range points(phrase) {
				for _, near := range []point{{p.kind, p.at - 1}, p, {p.kind, p.at + 1}} {
					if !seen[near] {
						seen[near] = true
						count[near]++
					}
				}
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line textLine) bool {
		parts, shared := line.phrases(), 0
		for _, phrase := range parts {
			at := points(phrase)
			if slices.ContainsFunc(at[:], func(p point) bool { return count[p]*third >= len(lines) }) {
				shared++
			}
		}
		return shared*half <= len(parts)
	})
}

// aligned returns the points at which a heading and the texts below it on most lines begin,
// and that almost no other text crosses.
func aligned(headings textLine, lines []textLine) (starts []float64) {
	for i, phrase := range headings.phrases() {
		x, n, crossed := phrase[0].left, 0, 0
		for _, line := range lines {
			switch {
			case slices.ContainsFunc(line, func(w word) bool { return w.begins(x) }):
				n++
			case slices.ContainsFunc(line, func(w word) bool { return w.left < x && w.right > x }):
				crossed++
			}
		}
		if i > 0 && n*2 > len(lines) && crossed <= len(lines)/stray {
			starts = append(starts, x)
		}
	}
	return starts
}

// edges returns the middles of the gaps that almost no line crosses, and the points between
// where texts start.
func edges(lines []textLine, starts []float64) (all []float64) {
	starts = slices.Clone(starts)
	var covered [2*maxExtent + 1]int
	width := 0.0
	for _, line := range lines {
		width += line[0].space
		for _, w := range line {
			for x := max(int(w.left), -maxExtent); x <= min(int(w.right), maxExtent); x++ {
				covered[x+maxExtent]++
			}
		}
	}
	wide := int(max(2, gap*width/float64(len(lines))))
	begin := -1 // of a gap that is not left of all texts
	for x, n := range covered {
		if n <= len(lines)/stray {
			continue
		}
		if begin >= 0 && x-begin >= wide {
			starts = slices.DeleteFunc(starts, func(s float64) bool {
				return s >= float64(begin-maxExtent-2) && s <= float64(x-maxExtent+2)
			})
			all = append(all, float64(begin+x)/2-maxExtent)
		}
		begin = x + 1
	}
	for _, x := range starts {
		all = append(all, x-beside)
	}
	slices.Sort(all)
	return all
}

// column returns the column of a point.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// cells returns the texts of a line by column. In rows, a phrase in several columns is split
// unless one of its words is, as in sentences and headings wider than their column.
func (c columns) cells(line textLine, row bool) (cells []string) {
	put := func(column int, text string) {
		for len(cells) <= min(column, MaxColumns-1) {
			cells = append(cells, "")
		}
		if column < MaxColumns {
			cells[column] = strings.TrimSpace(cells[column] + " " + text)
		}
	}
	all := line.phrases()
	if row && c.edges != nil {
		all = line.phrases(c.starts...)
	}
	for i, phrase := range all {
		left, right := phrase.bounds()
		over := func(w word) bool { return c.column(w.left) != c.column(w.right) }
		switch {
		case c.edges == nil:
			put(i, phrase.text())
		case row && !slices.ContainsFunc(phrase, over):
			for _, w := range phrase {
				put(c.column(w.left), w.text)
			}
		case row:
			put(c.column((left+right)/2), phrase.text())
		default:
			put(max(c.column(left), len(cells)), phrase.text())
		}
	}
	return cells
}
