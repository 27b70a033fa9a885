package tables

import (
	"cmp"
	"math"
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
	var rows [][]textLine
	var lines []textLine
	for _, p := range pages {
		for _, row := range p.rows {
			rows = append(rows, row)
			if tabular(row) {
				lines = append(lines, slices.Concat(row...))
			}
		}
	}
	lines = similar(lines)
	if len(lines) == 0 {
		return c
	}
	byLength := func(a, b textLine) int { return len(b) - len(a) }
	c.usual = len(slices.SortedStableFunc(slices.Values(lines), byLength)[len(lines)/2])
	lines = slices.DeleteFunc(lines, func(line textLine) bool { return !c.full(line) })
	headings := headingsOf(rows, lines[0])
	c.starts = aligned(headings, lines)
	few := len(lines) / stray
	if len(pages) > 1 {
		few = max(few, len(pages)) // a letterhead on each page
	}
	c.edges = edges(headings, gapsOf(lines, few), lines, c.starts)
	slices.Sort(c.edges)
	return c
}

// headingsOf returns the last line of several phrases above the first row of a table.
func headingsOf(rows [][]textLine, first textLine) (headings textLine) {
	for _, row := range rows {
		if row[0][0] == first[0] && headings == nil {
			return first // calibres
		} else if row[0][0] == first[0] {
			return headings
		}
		for _, line := range row {
			if len(line.headings()) >= fewPhrases {
				headings = line
			}
		}
	}
	return headings
}

// headings returns the headings of the first table of a page.
func (p page) headings() textLine {
	if i := slices.IndexFunc(p.lines, textLine.tabular); i >= 0 {
		return headingsOf(p.rows, p.lines[i])
	}
	return nil
}

// moved reports whether a page has most of the headings of another, at other points.
func moved(from, to textLine) bool {
	const near = 2
	same, away := 0, 0
	for _, phrase := range to.phrases() {
		for _, other := range from.phrases() {
			if phrase.text() == other.text() {
				same++
				if math.Abs(phrase[0].left-other[0].left) > near {
					away++
				}
				break
			}
		}
	}
	return same*2 > len(to.phrases()) && away*2 > same
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

// edges returns the middles of wide gaps, the points between where
// texts start, and the widest gaps between headings that have no wide one.
func edges(headings textLine, gaps []span, lines []textLine, starts []float64) (all []float64) {
	starts = slices.Clone(starts)
	width := 0.0
	for _, line := range lines {
		width += line[0].space
	}
	for _, g := range gaps {
		if g.width() < max(2, gap*width/float64(len(lines))) {
			continue
		}
		starts = slices.DeleteFunc(starts, func(s float64) bool { return s >= g.left-2 && s <= g.right+2 })
		all = append(all, g.middle())
	}
	for _, x := range starts {
		all = append(all, x-beside)
	}
	return append(all, between(headings, gaps, all)...)
}

// span is a stretch of a line, in points.
type span struct{ left, right float64 }

func (s span) width() float64  { return s.right - s.left }
func (s span) middle() float64 { return (s.left + s.right) / 2 }

// gapsOf returns the stretches between texts that at most a few lines cross.
func gapsOf(lines []textLine, few int) (gaps []span) {
	var covered [2*maxExtent + 1]int
	for _, line := range lines {
		end := -maxExtent
		byLeft := func(a, b word) int { return cmp.Compare(a.left, b.left) }
		for _, w := range slices.SortedStableFunc(slices.Values(line), byLeft) {
			for end = max(int(w.left), end); end <= min(int(w.right), maxExtent); end++ {
				covered[end+maxExtent]++
			}
		}
	}
	last := -1 // the point before, if it is not left of all texts
	for x, n := range covered {
		if n <= few {
			continue
		}
		if last >= 0 && x > last+1 {
			gaps = append(gaps, span{float64(last + 1 - maxExtent), float64(x - maxExtent)})
		}
		last = x
	}
	return gaps
}

// between returns the middles of the widest gaps between headings without an edge.
func between(headings textLine, gaps []span, edges []float64) (more []float64) {
	phrases := headings.headings()
	for i := 1; i < len(phrases); i++ {
		left, right := phrases[i-1].middle(), phrases[i].middle()
		inside := func(x float64) bool { return x > left && x < right }
		if slices.ContainsFunc(edges, inside) {
			continue
		}
		widest := span{}
		for _, g := range gaps {
			if inside(g.middle()) && g.width() > widest.width() {
				widest = g
			}
		}
		if widest.width() > 0 {
			more = append(more, widest.middle())
		}
	}
	return more
}

// column returns the column of a point.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// spread places a phrase of a row that spans several columns: in the one at its middle, unless
// another text stands there and a spanned one is free; divided at its widest gaps if all are.
func (c columns) spread(phrase textLine, row []textLine) (parts []textLine, from int) {
	left, right := phrase.bounds()
	from, to, middle := c.column(left), c.column(right), c.column(phrase.middle())
	taken := make([]bool, to-from+1)
	for _, other := range row {
		if at := c.column(other.middle()); other[0] != phrase[0] && at >= from && at <= to {
			taken[at-from] = true
		}
	}
	if parts := phrase.atWidest(to - from); parts != nil && !slices.Contains(taken, true) {
		return parts, from
	}
	if free := slices.Index(taken, false); free >= 0 && taken[middle-from] {
		middle = from + free
	}
	return []textLine{phrase}, middle
}

// cells returns the texts of a line by column. In rows of amounts, a phrase in several columns
// is split unless one of its words is, as in sentences.
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
		left, _ := phrase.bounds()
		over := func(w word) bool { return c.column(w.left) != c.column(w.right) }
		switch {
		case c.edges == nil:
			put(i, phrase.text())
		case row && line.tabular() && !slices.ContainsFunc(phrase, over):
			for _, w := range phrase {
				put(c.column(w.left), w.text)
			}
		case row:
			parts, from := c.spread(phrase, all)
			for k, part := range parts {
				put(from+k, part.text())
			}
		default:
			put(max(c.column(left), len(cells)), phrase.text())
		}
	}
	return cells
}
