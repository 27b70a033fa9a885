package tables

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// grid is the cells that the rules of a page draw around its tables.
type grid struct {
	columns []float64 // the points of upright rules that most lines of tables are between
	upright [][]area  // the rules at each of these points
	flat    []area    // from the bottom of the page to its top
}

// gridOf returns the grid of a page, or nil where too few rules divide its lines into
// columns, or too many lines of tables stand between the same two rules.
func gridOf(p page) *grid {
	const fewest, near = 4, 2 // rules, and points
	narrow := func(l textLine) bool { return len(l.phrases()) < fewPhrases }
	lines := similar(slices.DeleteFunc(slices.Clone(p.lines), narrow))
	g := &grid{}
	var upright []area
	for _, r := range p.rules {
		switch {
		case r.right-r.left < thickest && r.top-r.bottom > thickest:
			upright = append(upright, r)
		case r.top-r.bottom < thickest:
			g.flat = append(g.flat, r)
		}
	}
	slices.SortFunc(upright, func(a, b area) int { return cmp.Compare(a.left, b.left) })
	for len(upright) > 0 {
		n := 1
		for n < len(upright) && upright[n].left-upright[n-1].left <= near {
			n++
		}
		divided := 0
		for _, line := range lines {
			if passes(upright[:n], line[0]) {
				divided++
			}
		}
		if divided*2 > len(lines) {
			g.columns, g.upright = append(g.columns, upright[0].left), append(g.upright, upright[:n])
		}
		upright = upright[n:]
	}
	g.flat = slices.DeleteFunc(g.flat, func(r area) bool {
		return !g.ends(r.left) || !g.ends(r.right) ||
			slices.ContainsFunc(p.lines, func(l textLine) bool { return crossed(l, []area{r}) })
	})
	slices.SortFunc(g.flat, func(a, b area) int { return cmp.Compare(a.bottom, b.bottom) })
	for i := 1; i < len(g.flat); i++ {
		if above := &g.flat[i].bottom; *above-g.flat[i-1].bottom < near {
			*above = g.flat[i-1].bottom
		}
	}
	if len(g.columns) < fewest || len(g.columns) > MaxColumns || !g.separates(lines) {
		return nil
	}
	return g
}

// ends reports whether a column begins or ends at a point.
func (g *grid) ends(x float64) bool {
	return slices.ContainsFunc(g.columns, func(at float64) bool { return math.Abs(at-x) <= thickest })
}

// passes reports whether one of some upright rules is at the height of a word.
func passes(upright []area, w word) bool {
	return slices.ContainsFunc(upright, func(r area) bool { return r.bottom <= w.middle() && w.middle() <= r.top })
}

// middle returns the height of the middle of a word's small letters.
func (w word) middle() float64 { return w.base + w.size/4 }

// separates reports whether flat rules separate most lines from each other.
func (g *grid) separates(lines []textLine) bool {
	tops := map[float64]bool{}
	for _, line := range lines {
		_, top := g.cell(line[0])
		tops[top] = true
	}
	return len(tops)*3 >= len(lines)*2
}

// cell returns the column of a word, or -1 outside the grid, and the height of the top of its
// cell, which may span several columns and rows.
func (g *grid) cell(w word) (column int, top float64) {
	column = -1
	x := (w.left + w.right) / 2
	for i, at := range g.columns {
		if at <= x && passes(g.upright[i], w) {
			column = i
		}
	}
	if column < 0 || column == len(g.columns)-1 {
		return -1, w.base
	}
	for _, r := range g.flat {
		if r.bottom > w.middle() && r.left <= x && x <= r.right {
			return column, r.bottom
		}
	}
	return -1, w.base
}

// rows returns the lines of each row, a line outside the grid being one.
func (g *grid) rows(lines []textLine) (rows [][]textLine) {
	index := map[float64]int{}
	for _, line := range lines {
		parts := map[int]textLine{}
		var order []int
		for _, w := range line {
			_, top := g.cell(w)
			at, known := index[top]
			if !known {
				at = len(rows)
				index[top], rows = at, append(rows, nil)
			}
			if parts[at] == nil {
				order = append(order, at)
			}
			parts[at] = append(parts[at], w)
		}
		for _, at := range order {
			rows[at] = append(rows[at], parts[at])
		}
	}
	return rows
}

// cells returns the texts of a line by column; ok is false for one outside the grid.
func (g *grid) cells(line textLine) (cells []string, ok bool) {
	for _, w := range line {
		column, _ := g.cell(w)
		if column < 0 {
			return nil, false
		}
		for len(cells) <= column {
			cells = append(cells, "")
		}
		cells[column] = strings.TrimSpace(cells[column] + " " + w.text)
	}
	return cells, true
}
