package tables

import (
	"cmp"
	"slices"
)

// columns are the columns of a document's tables.
type columns struct {
	near   float64   // the greatest distance of the lines of one row; 0: rows have one line
	edges  []float64 // between columns, from left to right, in points; none: each line has its own columns
	shared []float64 // those of headings and the texts below them
	usual  int       // usual number of words of a line
}

const (
	// gap is the minimum distance of columns, in widths of a space.
	gap = 1.6
	// fewLines is the number of lines that are too few to detect columns.
	fewLines = 3
	// fewPhrases is the minimum number of phrases of headings.
	fewPhrases = 3
	// stray is the share of lines, one in stray, that may cross a gap between
	// columns, such as totals and long texts.
	stray = 10
)

// columnsOf detects the columns of all pages: vertical gaps through the lines of
// tables, and edges that texts share with the headings. Lines with far fewer words
// than usual, such as totals and letterheads, do not count.
func columnsOf(pages []page) columns {
	var lines []textLine
	var headings textLine
	joined := false
	near := within(pages)
	for _, p := range pages {
		for i := 0; i < len(p.lines); {
			row, to := together(p.lines, i, near)
			i, joined = to, joined || len(row) > 1
			if slices.ContainsFunc(row, tabular) {
				lines = append(lines, slices.Concat(row...))
				continue
			}
			for _, line := range row {
				if len(lines) == 0 && len(phrases(line)) >= fewPhrases {
					headings = line
				}
			}
		}
	}
	lines = similar(lines)
	slices.SortStableFunc(lines, func(a, b textLine) int { return len(b) - len(a) })
	c := columns{near: near}
	if len(lines) > 0 {
		c.usual = len(lines[len(lines)/2])
		lines = slices.DeleteFunc(lines, func(line textLine) bool { return !c.full(line) })
	}
	c.shared = aligned(headings, lines)
	few := len(lines) < fewLines
	if few && len(lines) > 0 && headings != nil {
		lines = append(lines, headings)
	}
	if len(lines) > 1 {
		all := gaps(lines, c.shared)
		if joined { // the lines of a row are together
			pages = nil
		}
		c.edges = wrapped(all, pages)
	}
	if few && (headings == nil || slices.ContainsFunc(lines, c.merges)) {
		c.edges = nil
	}
	return c
}

const (
	// mostLines is the maximum number of lines of a row.
	mostLines = 6
	// jump is the least ratio of the distance between rows to that of the lines of one.
	jump = 1.5
	// often is how often a distance occurs at least.
	often = 3
)

// similar returns the lines of tables: most of their phrases begin, end or are centred
// where those of at least a third of the lines do, unlike those of footers and notes.
func similar(lines []textLine) (all []textLine) {
	const third, half, step = 3, 2, 1 // step is the precision in points
	edges := func(phrase textLine) []int {
		left, right := phrase[0].left, phrase[len(phrase)-1].right
		return []int{int(left / step), maxExtent + int(right/step), 3*maxExtent + int((left+right)/2/step)}
	}
	count := map[int]int{}
	for _, line := range lines {
		seen := map[int]bool{}
		for _, phrase := range phrases(line) {
			for _, edge := range edges(phrase) {
				for near := edge - 1; near <= edge+1; near++ {
					if !seen[near] {
						seen[near] = true
						count[near]++
					}
				}
			}
		}
	}
	for _, line := range lines {
		parts, shared := phrases(line), 0
		for _, phrase := range parts {
			if slices.ContainsFunc(edges(phrase), func(edge int) bool { return count[edge]*third >= len(lines) }) {
				shared++
			}
		}
		if shared*half > len(parts) {
			all = append(all, line)
		}
	}
	return all
}

// aligned returns the points at which a heading and the texts below it on most
// lines begin, and that almost no other text crosses.
func aligned(headings textLine, lines []textLine) (shared []float64) {
	for i, phrase := range phrases(headings) {
		x, n, crossed := phrase[0].left-beside, 0, 0
		for _, line := range lines {
			switch {
			case slices.ContainsFunc(line, func(w word) bool { return w.begins(x) }):
				n++
			case slices.ContainsFunc(line, func(w word) bool { return w.left < x && w.right > x }):
				crossed++
			}
		}
		if i > 0 && n*2 > len(lines) && crossed <= len(lines)/stray {
			shared = append(shared, x)
		}
	}
	return shared
}

// beside is the distance of a text from an edge that it shares, at most twice as much.
const beside = 0.5

func (w word) begins(x float64) bool { return w.left >= x && w.left <= x+2*beside }

// merges reports whether two phrases of a line are in one column.
func (c columns) merges(line textLine) bool {
	last := -1
	for _, phrase := range phrases(line, c.shared...) {
		column := c.column((phrase[0].left + phrase[len(phrase)-1].right) / 2)
		if column <= last {
			return true
		}
		last = column
	}
	return false
}

// wrapped returns the middles of gaps. A gap with single phrases on the lines
// between those of the table is a column of wrapped cells.
func wrapped(gaps [][2]float64, pages []page) (edges []float64) {
	var between []textLine
	for _, p := range pages {
		first := slices.IndexFunc(p.lines, tabular)
		last := len(p.lines) - 1
		for last > first && !tabular(p.lines[last]) {
			last--
		}
		for i := first; first >= 0 && i <= last; i++ {
			if len(phrases(p.lines[i])) == 1 {
				between = append(between, p.lines[i])
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

// gaps returns the bounds of the gaps that almost no line crosses, and of those
// without a width at shared edges.
func gaps(lines []textLine, shared []float64) (all [][2]float64) {
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
	for _, x := range shared {
		if !slices.ContainsFunc(all, func(g [2]float64) bool { return g[0]-2 <= x && x <= g[1]+2 }) {
			all = append(all, [2]float64{x, x})
		}
	}
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(a[0], b[0]) })
	return all
}

// tabular reports whether a line is like one of a table: several words in several
// phrases, of which two are numbers.
func tabular(line textLine) bool {
	const words, numbers = 4, 2
	n := 0
	for _, w := range line {
		if w.numeric() {
			n++
		}
	}
	return len(line) >= words && n >= numbers && len(phrases(line)) > 1
}
