package layout

import (
	"slices"
	"strings"
	"unicode"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// repeats reports whether a row repeats most of the header, in its words or in
// another language.
func (h header) repeats(row tables.Row) bool {
	cells := Filled(row)
	others, means := 0, 0
	for _, col := range cells {
		text := vocabulary.Fold(row.Cells[col].Text)
		if col >= len(h.folded) || !strings.Contains(h.folded[col], text) || h.contradicts(col, text) {
			others++
		}
		if col < len(h.means) && h.means[col].Field != vocabulary.None && !strings.ContainsFunc(text, isDigit) &&
			h.known.under("", row.Cells[col].Text).Field == h.means[col].Field {
			means++
		}
		if others*4 > len(cells) && means == 0 {
			return false
		}
	}
	return len(cells) > 1 && (others*4 <= len(cells) || means > 2 && means*4 >= len(cells)*3)
}

// redefines reports whether a row that repeats the header gives a column another
// meaning or unit: "Net lb" below "Net kg", "Half cartons" below "Cartons".
func (h header) redefines(row tables.Row) bool {
	return numbersIn(row) == 0 && slices.ContainsFunc(Filled(row), func(col int) bool {
		if col >= len(h.means) || h.reads(col, vocabulary.Fold(row.Cells[col].Text)) {
			return false
		}
		m, unit := vocabulary.MeaningOf(row.Cells[col].Text), Unit(row.Cells[col].Text)
		return m.Field != h.means[col].Field || m.Reason != h.means[col].Reason || unit != 0 && unit != Unit(h.texts[col])
	})
}

// contradicts reports whether a text that is a part of a heading, but not one of
// its rows, names another field: "Pallets" below "Pallet No".
func (h header) contradicts(col int, text string) bool {
	m := vocabulary.MeaningOf(text)
	return m.Score > vocabulary.Clear && m.Field != h.means[col].Field && !h.reads(col, text)
}

// reads reports whether a row of the header has a text, folded, in a column.
func (h header) reads(col int, text string) bool {
	return slices.ContainsFunc(h.rows, func(own tables.Row) bool {
		return col < len(own.Cells) && vocabulary.Fold(own.Cells[col].Text) == text
	})
}

// repeatColumn returns the column at which the headings of a header repeat, or
// -1.
func (h header) repeatColumn() int {
	label, ok := h.columns[vocabulary.SSCC]
	if other, also := h.columns[vocabulary.PalletNumber]; also && (!ok || other > label) {
		label, ok = other, true
	}
	if !ok {
		return -1
	}
	first := slices.IndexFunc(h.folded, func(heading string) bool { return heading != "" })
	empty := func(heading string) bool { return heading == "" }
	for col := label + 1; col < len(h.folded); col++ {
		if h.folded[col] != h.folded[label] {
			continue
		}
		begin := col - (label - first)
		right := slices.DeleteFunc(slices.Clone(h.folded[begin:]), empty)
		left := slices.DeleteFunc(slices.Clone(h.folded[first:begin]), empty)
		if n := min(len(left), len(right)); n > 1 && slices.Equal(left[:n], right[:n]) {
			return begin
		}
	}
	return -1
}

// numbersIn scores the cells that are a number, also with its unit, or a label
// with its value, which a header row does not have.
func numbersIn(row tables.Row) (n int) {
	for i, cell := range row.Cells {
		_, value, labelled := strings.Cut(cell.Text, ":")
		beside := i+1 < len(row.Cells) && row.Cells[i+1].Text != "" && !row.Cells[i+1].Merged
		if IsQuantity(cell.Text) || labelled && (strings.TrimSpace(value) != "" || beside) {
			n += 2
		}
	}
	return n
}

// HasNumbers reports whether a table has rows with numbers.
func HasNumbers(t tables.Table) bool {
	return slices.ContainsFunc(t.Rows, func(row tables.Row) bool { return len(row.Cells) > 1 && numbersIn(row) > 0 })
}

// IsQuantity reports whether a text is a number, alone or before its unit.
func IsQuantity(text string) bool {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" && !strings.HasPrefix(text, n.Digits) {
		return false
	}
	_, weight := numbers.Grams[n.Unit]
	_, ok = numbers.Value(n.Digits, numbers.Point)
	return ok && (n.Unit == "" || weight || vocabulary.IsA(n.Unit, vocabulary.Box|vocabulary.Pallets|vocabulary.Unit, 0))
}

// plainNumber parses a number without a unit.
func plainNumber(text string) (float64, bool) {
	n, ok := numbers.Split(text)
	if !ok || n.Unit != "" {
		return 0, false
	}
	return numbers.Value(n.Digits, numbers.Point)
}

func isDigit(r rune) bool { return unicode.IsDigit(r) }

// Unit returns the unit among the words of a text in grams, or 0. A single letter
// is one only if there is no other; t, for tonnes, only in brackets.
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
	if strings.Contains(strings.ToLower(text), "(t)") {
		return numbers.Grams["t"]
	}
	return grams
}

// WeightUnit returns the unit that a row with one text gives to weights, or 0.
func WeightUnit(row tables.Row) float64 {
	cells := Filled(row)
	if len(cells) != 1 || !isSentence(row.Cells[cells[0]].Text) {
		return 0
	}
	if of, _ := vocabulary.Of(row.Cells[cells[0]].Text); of&vocabulary.Weight != 0 {
		return Unit(row.Cells[cells[0]].Text)
	}
	return 0
}

// isSentence reports whether a text is neither a label nor a total.
func isSentence(text string) bool {
	const words = 3
	_, label := vocabulary.FactKind(text)
	return !label && !strings.ContainsAny(text, ":=") && !vocabulary.IsTotal(vocabulary.Fold(text)) &&
		len(vocabulary.Words(text)) >= words
}

// UnitBeside returns the unit of weights that a text above or below the table gives, or 0.
func (t Table) UnitBeside() float64 {
	for i, row := range t.Rows {
		if unit := WeightUnit(row); unit > 0 && i >= t.To {
			return unit
		}
		if i >= t.From {
			continue
		}
		for _, cell := range row.Cells {
			of, _ := vocabulary.Of(cell.Text)
			if unit := Unit(cell.Text); of&vocabulary.Weight != 0 && unit > 0 {
				return unit
			}
		}
	}
	return 0
}
