package tables

import (
	"slices"
	"strings"
	"unicode"
)

// nearest returns the greatest distance of the lines of one row: below the first jump
// between distances that occur often, or else well below the usual one. Lines of a text
// file are rows.
func nearest(pages []page) float64 {
	count := map[int]int{} // by tenths of a point
	for _, p := range pages {
		for i := 1; i < len(p.lines) && p.lines[0][0].row == 0; i++ {
			count[int((p.lines[i-1][0].base-p.lines[i][0].base)*10+0.5)]++
		}
	}
	usual := 0
	var distances []int
	for d, n := range count {
		if n >= often {
			distances = append(distances, d)
		}
		if n > count[usual] || n == count[usual] && d > usual {
			usual = d
		}
	}
	slices.Sort(distances)
	for i := 1; i < len(distances); i++ {
		if float64(distances[i]) >= jump*float64(distances[i-1]) {
			return float64(distances[i-1])/10 + 0.1
		}
	}
	if count[usual] < often {
		return 0
	}
	return float64(usual) / 10 / jump // headings alone are wrapped
}

// within returns the greatest distance of the lines of one row. Lines with numbers below
// each other are rows, though they may be as near, as in blocks.
func within(pages []page) float64 {
	near := nearest(pages)
	one, several := 0, 0
	for _, p := range pages {
		for i := 0; i < len(p.lines); {
			row, to := together(p.lines, i, near)
			row = slices.DeleteFunc(slices.Clone(row), func(line textLine) bool { return !tabular(line) })
			if i = to; len(row) > 1 && row[0].above(row[1]) {
				several++
			} else if len(row) > 0 {
				one++
			}
		}
	}
	if several > one {
		return 0
	}
	return near
}

// above reports whether two numbers of a line are above numbers of another.
func (l textLine) above(other textLine) bool {
	const columns = 2
	n := 0
	for _, w := range l {
		if w.numeric() && slices.ContainsFunc(other, func(o word) bool {
			return o.numeric() && o.left < w.right && o.right > w.left
		}) {
			n++
		}
	}
	return n >= columns
}

// numeric reports whether a word has digits and no letters.
func (w word) numeric() bool {
	return strings.ContainsFunc(w.text, unicode.IsDigit) && !strings.ContainsFunc(w.text, unicode.IsLetter)
}

// together returns the lines of one row, from line i, and the index after them.
func together(page []textLine, i int, near float64) ([]textLine, int) {
	to := i + 1
	for near > 0 && to < len(page) && page[to-1][0].base-page[to][0].base <= near {
		to++
	}
	if to-i > mostLines {
		to = i + 1
	}
	return page[i:to], to
}
