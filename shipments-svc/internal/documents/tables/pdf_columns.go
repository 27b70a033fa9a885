package tables

import (
	"math"
	"slices"
	"strings"
)

// columns are the points between columns, from left to right; none: each phrase has a column of its own.
type columns []float64

// fewPhrases is the minimum number of phrases of headings.
const fewPhrases = 3

// columnsOf detects the columns of pages: vertical gaps through the rows of tables, between headings.
// Lines unlike the others, such as totals and letterheads, do not count.
func columnsOf(pages []page) columns {
	var rows [][]textLine
	for _, p := range pages {
		rows = append(rows, p.rows...)
	}
	lines, first := linesIn(rows)
	if len(lines) == 0 {
		return nil
	}
	return edgesOf(headingsOf(rows, first), lines, gapsOf(lines))
}

// linesIn returns the lines of tables among rows, and the index of the row of the first.
func linesIn(rows [][]textLine) (lines []textLine, first int) {
	for _, row := range rows {
		if slices.ContainsFunc(row, textLine.tabular) && !row[0].labels() {
			lines = append(lines, slices.Concat(row...))
		}
	}
	lines = aligned(lines)
	if len(lines) == 0 {
		return nil, -1
	}
	return lines, slices.IndexFunc(rows, func(row []textLine) bool { return row[0][0] == lines[0][0] })
}

// headingsOf returns the lowest headings above the first row of a table, or else that row: calibres.
func headingsOf(rows [][]textLine, first int) (headings textLine) {
	most := fewPhrases - 1
	for _, line := range slices.Backward(slices.Concat(rows[:first]...)) {
		n := len(line.phrases())
		if headings != nil && n < fewPhrases {
			break
		} else if n > most {
			headings, most = line, n
		}
	}
	if headings == nil {
		return slices.Concat(rows[first]...)
	}
	return headings
}

// headings returns the headings of the first table of a page.
func (p page) headings() textLine {
	if _, first := linesIn(p.rows); first >= 0 {
		return headingsOf(p.rows, first)
	}
	return nil
}

// moved reports whether headings of a page stand elsewhere on another.
func moved(from, to textLine) bool {
	const near = 2
	same := func(a, b word) bool { return math.Abs(a.left-b.left) <= near }
	return from.text() == to.text() && !slices.EqualFunc(from, to, same)
}

// aligned returns the lines of tables: most of their phrases begin, end or are centred
// where those of at least a third of the lines do, unlike those of footers and notes.
func aligned(lines []textLine) []textLine {
	const third, half = 3, 2
	type point struct{ kind, at int }
	points := func(phrase textLine) [3]point {
		at := phrase.span()
		return [...]point{{0, int(at.left)}, {1, int(at.right)}, {2, int(at.middle())}}
	}
	count := map[point]int{}
	for _, line := range lines {
		for _, phrase := range line.phrases() {
			for _, p := range points(phrase) {
				count[p]++
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

// edgesOf returns a point between each two headings, in a gap of the lines below, and in other gaps that are wide.
func edgesOf(headings textLine, lines []textLine, gaps []span) (edges columns) {
	wide := func(g span) bool { return g.width() >= max(2, gap*lines[0][0].space) }
	all := headings.phrases()
	phrases := headings.split(func(a, b word) bool {
		of := all[slices.IndexFunc(all, func(p textLine) bool { return p.span().right >= b.right })]
		return slices.ContainsFunc(gaps, func(g span) bool {
			// The words of each part stand above texts of their own.
			return g.common(span{a.right, b.left}).width() > 0 && a.left < g.left && of.span().right > g.right &&
				(wide(g) || a.whole() && b.whole())
		})
	})
	used := make([]bool, len(gaps))
	for i := 1; i < len(phrases); i++ {
		before, after := phrases[i-1].span(), phrases[i].span()
		best, at, most, between := span{}, -1, 0.0, span{before.right, after.left}
		own := func(g span) bool { return g.common(between).width() > 0 } // rather than below a heading
		for n, g := range gaps {
			g = g.common(span{before.middle(), after.middle()})
			score := g.width()
			if own(g) {
				score += maxExtent
			}
			if !used[n] { // one for two headings is that of a column which is empty on most lines
				score += 2 * maxExtent
			}
			if g.width() > 0 && score > most {
				best, at, most = g, n, score
			}
		}
		if at >= 0 {
			if own(best) {
				best = best.common(between)
			}
			edges, used[at] = append(edges, best.middle()), true
		}
	}
	for n, g := range gaps[:len(gaps)-1] {
		if !used[n] && wide(g) {
			edges = append(edges, g.middle())
		}
	}
	slices.Sort(edges)
	return edges
}

// gapsOf returns the stretches that at most a few lines cross: those between texts, and the right margin.
func gapsOf(lines []textLine) (gaps []span) {
	const stray = 10 // of which one line may cross
	const fine = 4   // parts of a point
	var covered [2*maxExtent*fine + 1]int
	at := func(x int) float64 { return float64(x)/fine - maxExtent }
	for _, line := range lines {
		to := 0 // a part of two words that touch counts once
		for _, w := range slices.SortedFunc(slices.Values(line), word.compare) {
			from, end := int((w.left+maxExtent)*fine), int((w.right+maxExtent)*fine)
			for x := max(from, to); x <= min(end, len(covered)-1); x++ {
				covered[x]++
				to = x + 1
			}
		}
	}
	last := -1 // the part before, if it is not left of all texts
	for x, n := range covered {
		if n <= len(lines)/stray {
			continue
		}
		if last >= 0 && x > last+1 {
			gaps = append(gaps, span{at(last + 1), at(x)})
		}
		last = x
	}
	return append(gaps, span{at(last + 1), maxExtent})
}

// at returns the column of a point.
func (c columns) at(x float64) int {
	i, _ := slices.BinarySearch(c, x)
	return i
}

// crossed reports whether a number of a line crosses an edge between columns.
func (c columns) crossed(line textLine) bool {
	return slices.ContainsFunc(line, func(w word) bool { return w.numeric() && c.at(w.left+1) < c.at(w.right-1) })
}

// cells returns the texts of a line by column: each word of a row in the one at its middle, and
// each phrase of headings and of other lines in one of its own.
func (c columns) cells(line textLine) (cells []string) {
	put := func(column int, text string) {
		for len(cells) <= min(column, MaxColumns-1) {
			cells = append(cells, "")
		}
		if column < MaxColumns {
			cells[column] = strings.TrimSpace(cells[column] + " " + text)
		}
	}
	drawn := !slices.ContainsFunc(line, func(w word) bool { return w.column <= 0 })
	if drawn || line.tabular() && c != nil && !c.crossed(line) {
		for _, w := range line {
			if drawn {
				put(w.column-1, w.text)
			} else {
				put(c.at(w.middle()), w.text)
			}
		}
		return cells
	}
	phrases := line.phrases()
	if n := len(phrases); n*4 >= len(c)*3 && n <= len(c) { // headings of more columns
		phrases = line.split(func(a, b word) bool { return c.at(a.right) < c.at(b.left) })
	}
	for i, phrase := range phrases {
		if c != nil {
			i = max(c.at(phrase.span().left), len(cells))
		}
		put(i, phrase.text())
	}
	return cells
}
