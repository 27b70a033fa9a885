package layout

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Filled returns the indexes of the cells of a row with a text of their own.
func Filled(row tables.Row) (all []int) {
	for i, c := range row.Cells {
		if c.Text != "" && !c.Merged {
			all = append(all, i)
		}
	}
	return all
}

// IsFull reports whether a row has at least three texts, as a line has.
func IsFull(row tables.Row) bool { return len(Filled(row)) > 2 }

// IsTotal reports whether the first text of a row is the label of a total.
func IsTotal(row tables.Row) bool {
	cells := Filled(row)
	return cells != nil && vocabulary.IsTotal(vocabulary.Fold(row.Cells[cells[0]].Text))
}

// Sample returns the first texts of a row.
func Sample(row tables.Row) string {
	const first = 6
	var texts []string
	for _, col := range Filled(row) {
		texts = append(texts, row.Cells[col].Text)
	}
	return strings.Join(texts[:min(first, len(texts))], " | ")
}

// numbersIn scores the cells that are a number, also with its unit, or have a label with a
// colon, which a header row does not have.
func numbersIn(row tables.Row) (n int) {
	for _, cell := range row.Cells {
		if IsQuantity(cell.Text) || strings.Contains(cell.Text, ":") {
			n += 2
		}
	}
	return n
}

// HasNumbers reports whether a table has rows with numbers.
func HasNumbers(t tables.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return numbersIn(row) > 0 })
}

// IsQuantity reports whether a text is a number, alone or before its unit.
func IsQuantity(text string) bool {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" && !strings.HasPrefix(text, n.Digits) {
		return false
	}
	_, ok = numbers.Value(n.Digits, numbers.Point)
	return ok && (n.Unit == "" || vocabulary.IsA(n.Unit, vocabulary.Box|vocabulary.Pallets|vocabulary.Unit, 0))
}

// Number parses the number of a cell of a row, without a unit. "1.056" is more than a thousand.
func Number(row tables.Row, col int) (float64, bool) {
	if col < 0 || col >= len(row.Cells) {
		return 0, false
	}
	n, ok := numbers.Split(row.Cells[col].Text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Thousands(n.Digits))
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// Unit returns the unit among the words of a text in grams, or 0. A single letter
// is one only if there is no other; t, for tonnes, only in brackets or at the end of a weight.
func Unit(text string) float64 {
	grams := 0.0
	for _, word := range vocabulary.Words(text) {
		switch g, ok := numbers.Grams[word]; {
		case !ok || word == "t":
		case g != 1:
			return g
		default:
			grams = g
		}
	}
	of, _ := vocabulary.Of(text)
	weight := of&(vocabulary.Net|vocabulary.Gross|vocabulary.Weight) != 0
	if lower := strings.ToLower(text); strings.Contains(lower, "(t)") || weight && strings.HasSuffix(lower, " t") {
		return numbers.Grams["t"]
	}
	return grams
}

// UnitBeside returns the unit of weights that a text above the table gives, or one that is alone
// in a row, such as "All weights in lbs", or 0.
func (t Table) UnitBeside() float64 {
	for i, row := range t.Rows {
		cells := Filled(row)
		if i >= t.From && (len(cells) != 1 || IsTotal(row) || strings.ContainsAny(row.Cells[cells[0]].Text, ":=")) {
			continue
		}
		for _, col := range cells {
			text := row.Cells[col].Text
			if of, _ := vocabulary.Of(text); of&vocabulary.Weight != 0 && Unit(text) > 0 {
				return Unit(text)
			}
		}
	}
	return 0
}

// paired returns the table with two columns more for each such as "Variety / Calibre": the heading
// names two fields, and nearly all cells have two values.
func (t Table) paired() Table {
	for col, h := range t.Headings {
		first, second, _ := strings.Cut(h.Text, "/")
		a, b, all, pairs := field(first), field(second), 0, 0
		if t.Continued || a == vocabulary.None || b == vocabulary.None || a == b {
			continue
		}
		for _, row := range t.Rows[t.To:] {
			if col < len(row.Cells) && row.Cells[col].Text != "" && IsFull(row) {
				all, pairs = all+1, pairs+min(1, strings.Count(row.Cells[col].Text, "/"))
			}
		}
		if pairs > 0 && pairs*10 >= all*9 {
			t.pairs = append(t.pairs, [2]int{col, len(t.Headings)})
			t.Headings[col].Meaning = vocabulary.Meaning{Field: vocabulary.Other, Score: 1, Rule: "two-fields"}
			t.add(h.Text, "two-fields", a, b)
		}
	}
	for i := t.To; i < len(t.Rows) && t.pairs != nil; i++ {
		t.Rows[i] = widened(t.Rows[i], len(t.Headings))
		for _, p := range t.pairs {
			cell, own := t.Rows[i].Cells[p[0]], t.Rows[i].Cells[p[1]:]
			if first, second, ok := strings.Cut(cell.Text, "/"); ok {
				own[0] = tables.Cell{Text: strings.TrimSpace(first), Merged: cell.Merged}
				own[1] = tables.Cell{Text: strings.TrimSpace(second), Merged: cell.Merged}
			}
		}
	}
	return t
}
