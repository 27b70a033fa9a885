package tables

import "slices"

// grouped groups lines to rows: those that are nearer to each other than a distance.
func grouped(lines []textLine, near float64) (rows [][]textLine) {
	for from := 0; from < len(lines); {
		to := from + 1
		for to < len(lines) && lines[to-1][0].base-lines[to][0].base <= near {
			to++
		}
		rows = append(rows, lines[from:to])
		from = to
	}
	return rows
}

// nearest returns the greatest distance of the lines of one row: below the first jump between
// distances that occur often, or else well below the usual one. It is 0 where lines so near
// are rows themselves, as in blocks, and in text files.
func nearest(pages []page) float64 {
	const often, jump = 3, 1.5
	count := map[int]int{} // by tenths of a point
	for _, p := range pages {
		for i := 1; i < len(p.lines) && p.lines[0][0].row == 0; i++ {
			count[int((p.lines[i-1][0].base-p.lines[i][0].base)*10+0.5)]++
		}
	}
	var distances []int
	usual := 0
	for d, n := range count {
		if n >= often {
			distances = append(distances, d)
			if n > count[usual] || n == count[usual] && d > usual {
				usual = d
			}
		}
	}
	near := float64(usual) / 10 / jump // headings alone are wrapped
	slices.Sort(distances)
	for i := len(distances) - 1; i > 0; i-- {
		if float64(distances[i]) >= jump*float64(distances[i-1]) {
			near = float64(distances[i-1])/10 + 0.1
		}
	}
	if severalRows(pages, near) {
		return 0
	}
	return near
}

// severalRows reports whether most lines of tables are nearer to one with numbers in the same
// columns than a distance: they are rows themselves.
func severalRows(pages []page, near float64) bool {
	rows, lines := 0, 0
	for _, p := range pages {
		isRow := make([]bool, len(p.lines))
		for i, line := range p.lines {
			if i > 0 && line.tabular() && p.lines[i-1][0].base-line[0].base <= near && p.lines[i-1].above(line) {
				isRow[i-1], isRow[i] = true, true
			}
		}
		for i, line := range p.lines {
			if line.tabular() {
				lines++
			}
			if isRow[i] {
				rows++
			}
		}
	}
	return rows*2 > lines
}

// above reports whether two numbers of a line are above numbers of another.
func (l textLine) above(below textLine) bool {
	numbers := slices.DeleteFunc(slices.Clone(l), func(w word) bool {
		return !w.numeric() || !slices.ContainsFunc(below, func(b word) bool {
			return b.numeric() && b.left < w.right && b.right > w.left
		})
	})
	return len(numbers) > 1
}
