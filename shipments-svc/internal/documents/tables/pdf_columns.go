package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// columns are the columns of a document's printed tables.
type columns struct {
	edges []float64 // between columns, from left to right, in points; none: each line has its own
	usual int       // usual number of words of a line
}

const (
	// fewLines is the number of lines that are too few to detect columns.
	fewLines = 3
	// fewPhrases is the minimum number of phrases of headings, several that of a row.
	fewPhrases, several = 3, 5
	// stray is the share of lines, one in stray, that may cross a gap between columns.
	stray = 10
)

// columnsOf detects the columns of pages: vertical gaps through the lines of tables. Lines unlike
// the others, such as totals and letterheads, do not count.
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
	few := len(lines) / stray
	if len(pages) > 1 {
		few = max(few, len(pages)) // a letterhead on each page
	}
	c.edges = edges(headings, gapsOf(lines, few), lines)
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

// edges returns a point between each two headings, in a gap of the lines below, and the
// middles of the other gaps that are wide.
func edges(headings textLine, gaps []span, lines []textLine) (all []float64) {
	used, space := make([]bool, len(gaps)), 0.0
	phrases := headings.split(func(a, b word) bool {
		return headings.apart(a, b) || slices.ContainsFunc(gaps, func(g span) bool {
			return g.common(span{a.right, b.left}).width() > 0 && enumerated(lines, g)
		})
	})
	for i := 1; i < len(phrases); i++ {
		_, left := phrases[i-1].bounds()
		right, _ := phrases[i].bounds()
		best, at := span{}, -1
		for n, g := range gaps {
			g = g.common(span{phrases[i-1].middle(), phrases[i].middle()})
			if own := g.common(span{left, right}); own.width() > 0 {
				g = own
			}
			// A gap for two headings is that of a column which is empty on most lines.
			if first := at < 0 || used[at] && !used[n]; g.width() > 0 &&
				(first || used[at] == used[n] && g.width() > best.width()) {
				best, at = g, n
			}
		}
		if at >= 0 {
			all, used[at] = append(all, best.middle()), true
		}
	}
	for _, line := range lines {
		space += line[0].space / float64(len(lines))
	}
	for n, g := range gaps {
		if !used[n] && g.width() >= max(2, gap*space) {
			all = append(all, g.middle())
		}
	}
	return all
}

// enumerated reports whether a gap follows a number and precedes a word, not a unit, on all lines
// of a text that is aligned by characters: "12 PNY4411026".
func enumerated(lines []textLine, g span) bool {
	return !slices.ContainsFunc(lines, func(line textLine) bool {
		i := slices.IndexFunc(line, func(w word) bool { return w.left >= g.right })
		if i < 1 || line[i].row == 0 {
			return true
		}
		const unit = 3 // letters at most
		return !line[i-1].numeric() || line[i].numeric() || len(line[i].text) <= unit
	})
}

// span is a stretch of a line, in points.
type span struct{ left, right float64 }

func (s span) width() float64  { return s.right - s.left }
func (s span) middle() float64 { return (s.left + s.right) / 2 }
func (s span) common(o span) span {
	return span{max(s.left, o.left), min(s.right, o.right)}
}

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

// column returns the column of a point.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// touching reports whether a phrase of a nearly full line of headings is those of two columns:
// the second has no other.
func (c columns) touching(phrases []textLine, i int) bool {
	at := func(l textLine) int { return c.column(l.middle()) }
	words := phrases[i]
	second := at(words[len(words)-1:])
	return len(phrases)*4 >= len(c.edges)*3 && second == at(words[:1])+1 &&
		(i == 0 || at(phrases[i-1]) < second-1) && (i+1 == len(phrases) || at(phrases[i+1]) > second)
}

// cells returns the texts of a line by column: each word of a row in the one at its middle, and
// each phrase of headings and of other lines in one of its own.
func (c columns) cells(line textLine, row bool) (cells []string) {
	put := func(column int, text string) {
		for len(cells) <= min(column, MaxColumns-1) {
			cells = append(cells, "")
		}
		if column < MaxColumns {
			cells[column] = strings.TrimSpace(cells[column] + " " + text)
		}
	}
	phrases := line.phrases()
	for i, phrase := range phrases {
		left, _ := phrase.bounds()
		switch {
		case c.edges == nil:
			put(i, phrase.text())
		case row && (line.tabular() || c.touching(phrases, i)):
			for _, w := range phrase {
				put(c.column((w.left+w.right)/2), w.text)
			}
		case row:
			put(max(c.column(phrase.middle()), len(cells)), phrase.text())
		default:
			put(max(c.column(left), len(cells)), phrase.text())
		}
	}
	return cells
}
