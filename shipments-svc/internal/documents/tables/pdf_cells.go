package tables

import (
	"slices"
	"strings"
)

// several is the minimum number of phrases of a header row.
const several = 5

// cells returns the texts of a line by column. Phrases are not split, except in
// tables with narrow gaps.
func (c columns) cells(line textLine, row bool) []Cell {
	var cells []Cell
	put := func(column int, text string) {
		for len(cells) <= min(column, MaxColumns-1) {
			cells = append(cells, Cell{})
		}
		if column < MaxColumns {
			cells[column].Text = strings.TrimSpace(cells[column].Text + " " + text)
		}
	}
	all := phrases(line)
	if row && c.edges != nil {
		all = phrases(line, c.shared...)
	}
	for i, phrase := range all {
		left, right := phrase[0].left, phrase[len(phrase)-1].right
		switch {
		case c.edges == nil:
			put(i, text(phrase))
		case row && c.column(left) != c.column(right) && c.apart(phrase):
			for _, w := range phrase {
				put(c.column((w.left+w.right)/2), w.text)
			}
		case row:
			put(c.column((left+right)/2), text(phrase))
		case len(all) >= fewPhrases: // headings
			put(max(c.column((left+right)/2), len(cells)), text(phrase))
		default:
			put(max(c.column(left), len(cells)), text(phrase))
		}
	}
	return cells
}

// row reports whether lines are a row of the table.
func (c columns) row(lines []textLine) bool {
	n := 0
	for _, line := range lines {
		n = max(n, len(phrases(line)))
	}
	return (n >= several || slices.ContainsFunc(lines, tabular)) && c.full(slices.Concat(lines...))
}

// column returns the column of a point.
func (c columns) column(x float64) int {
	i, _ := slices.BinarySearch(c.edges, x)
	return i
}

// apart reports whether a phrase across several columns is to be split: none of its
// words crosses an edge, as in sentences and headings wider than their column.
func (c columns) apart(phrase textLine) bool {
	return !slices.ContainsFunc(phrase, func(w word) bool { return c.column(w.left) != c.column(w.right) })
}

// phrases joins the words of a line that are separated by single spaces, except at
// shared edges.
func phrases(line textLine, shared ...float64) (all []textLine) {
	for i, w := range line {
		if i > 0 && w.left-line[i-1].right < gap*w.space && !slices.ContainsFunc(shared, w.begins) {
			all[len(all)-1] = append(all[len(all)-1], w)
		} else {
			all = append(all, textLine{w})
		}
	}
	return all
}

func text(phrase textLine) string {
	var all []string
	for _, w := range phrase {
		all = append(all, w.text)
	}
	return strings.Join(all, " ")
}
