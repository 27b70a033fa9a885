package tables

import (
	"cmp"
	"maps"
	"slices"
)

// grid is the cells that the rules of a page draw around its tables.
type grid struct {
	columns [][]area // the upright rules where each begins, and where the last ends
	flat    []area   // from the bottom of the page to its top
}

// gridOf returns the grid of a page, or nil where too few rules divide its lines into
// columns, or too many lines of tables stand between the same two rules.
func gridOf(p page) *grid {
	const fewest, near = 4, 2 // rules, and points
	narrow := func(l textLine) bool { return len(l.phrases()) < fewPhrases }
	lines := slices.DeleteFunc(slices.Clone(p.lines), narrow)
	g := &grid{}
	slices.SortFunc(p.rules, func(a, b area) int { return cmp.Compare(a.left, b.left) })
	for _, r := range p.rules {
		last := len(g.columns) - 1
		switch {
		case r.top-r.bottom < thickest:
			g.flat = append(g.flat, r)
		case r.right-r.left >= thickest:
		case last >= 0 && r.left-g.columns[last][len(g.columns[last])-1].left <= near:
			g.columns[last] = append(g.columns[last], r)
		default:
			g.columns = append(g.columns, []area{r})
		}
	}
	g.columns = slices.DeleteFunc(g.columns, func(rules []area) bool {
		var divided []int
		for i, line := range lines {
			if passes(rules, line[0]) {
				divided = append(divided, i)
			}
		}
		n := len(divided)
		return n*2 <= len(lines) || n*4 <= (divided[n-1]-divided[0]+1)*3 // every other row is shaded
	})
	g.flat = slices.DeleteFunc(g.flat, func(r area) bool {
		return slices.ContainsFunc(p.lines, func(l textLine) bool { return crossed(l, []area{r}) })
	})
	slices.SortFunc(g.flat, func(a, b area) int { return cmp.Compare(a.bottom, b.bottom) })
	for i := 1; i < len(g.flat); i++ {
		if above := &g.flat[i].bottom; *above-g.flat[i-1].bottom < near {
			*above = g.flat[i-1].bottom
		}
	}
	tops := map[float64]bool{}
	for _, line := range lines {
		tops[g.placed(line[0]).top] = true
	}
	if len(g.columns) < fewest || len(tops)*3 < len(lines)*2 {
		return nil
	}
	return g
}

// passes reports whether one of some upright rules is at the height of a word.
func passes(upright []area, w word) bool {
	return slices.ContainsFunc(upright, func(r area) bool { return r.bottom <= w.height() && w.height() <= r.top })
}

// height returns the height of the middle of a word's small letters.
func (w word) height() float64 { return w.base + w.size/4 }

// placed returns a word with the column and the top of its cell, which may span several; outside the grid 0.
func (g *grid) placed(w word) word {
	w.top = w.base
	x, column := w.middle(), 0
	for i, rules := range g.columns {
		if rules[0].left <= x && passes(rules, w) {
			column = i + 1
		}
	}
	above := slices.IndexFunc(g.flat, func(r area) bool { return r.bottom > w.height() && r.left <= x && x <= r.right })
	if column > 0 && column < len(g.columns) && above >= 0 {
		w.column, w.top = column, g.flat[above].bottom
	}
	return w
}

// edges returns the points between the columns.
func (g *grid) edges() (all columns) {
	for _, rules := range g.columns[1 : len(g.columns)-1] {
		all = append(all, rules[0].left)
	}
	return all
}

// rows returns the lines of each row. A line outside the grid is one, and each of a frame around
// texts: cells of several phrases that have no other beside them.
func (g *grid) rows(lines []textLine) (rows [][]textLine) {
	words := map[float64][]word{}
	for _, w := range slices.Concat(lines...) {
		w = g.placed(w)
		words[w.top] = append(words[w.top], w)
	}
	for _, top := range slices.Backward(slices.Sorted(maps.Keys(words))) {
		row := linesOf(words[top])
		beside := func(w word) bool { return w.column != row[0][0].column }
		if slices.ContainsFunc(words[top], beside) {
			rows = append(rows, row)
			continue
		}
		for _, line := range row {
			for i, several := 0, len(line.phrases()) > 1; several && i < len(line); i++ {
				line[i].column = 0
			}
			rows = append(rows, []textLine{line})
		}
	}
	return rows
}
