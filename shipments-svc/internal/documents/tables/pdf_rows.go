package tables

import (
	"maps"
	"slices"
)

// grouped groups lines to rows: those that are nearer to each other than a distance, of which
// only the last has numbers and those above it have few texts.
func grouped(lines []textLine, near float64) (rows [][]textLine) {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to-1][0].base-lines[to][0].base <= near && !apart(lines[from:to], lines[to]) {
			to++
		}
		rows = append(rows, lines[from:to])
		from = to
	}
	return rows
}

// apart reports whether a line with the numbers of a row is below others with numbers or headings.
func apart(above []textLine, line textLine) bool {
	return line.tabular() && slices.ContainsFunc(above, func(l textLine) bool {
		return l.tabular() || len(l.phrases())*2 > len(line.phrases())
	})
}

// nearest returns the greatest distance of the lines of one row: below the first jump between
// distances that occur often, or else well below the usual one. It is 0 in text files.
func nearest(pages []page) float64 {
	const often, jump = 3, 1.5
	count := map[int]int{} // by tenths of a point
	for _, p := range pages {
		for i := 1; i < len(p.lines) && p.lines[0][0].row == 0; i++ {
			count[int((p.lines[i-1][0].base-p.lines[i][0].base)*10+0.5)]++
		}
	}
	maps.DeleteFunc(count, func(_, n int) bool { return n < often })
	distances, usual := slices.Sorted(maps.Keys(count)), 0
	for i, d := range distances {
		if i > 0 && float64(d) >= jump*float64(distances[i-1]) {
			return float64(distances[i-1]+1) / 10
		}
		if count[d] >= count[usual] {
			usual = d
		}
	}
	return float64(usual) / 10 / jump // headings alone are wrapped
}
