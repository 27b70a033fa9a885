package mapping

import (
	"cmp"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// Weights are the fields of weights.
var Weights = []vocabulary.Field{
	vocabulary.BoxWeight, vocabulary.BoxGross, vocabulary.NetWeight, vocabulary.GrossWeight, vocabulary.AnyWeight,
}

// amounts are the boxes and the weights.
var amounts = append([]vocabulary.Field{vocabulary.Boxes}, Weights...)

func isWeight(f vocabulary.Field) bool { return slices.Contains(Weights, f) }

// UnitBeside returns the unit of a weight in a row from the column of units on its right, or "".
func (m Mapping) UnitBeside(row tables.Row, col int) string {
	if col++; col < min(len(m.Columns), len(row.Cells)) && m.Columns[col].Steps.Has("units") {
		return unitName(row.Cells[col].Text)
	}
	return ""
}

// formats detects the unit of each amount and the style of the numbers, of which most
// decide. Where none does, each column has the style of likelier weights.
func (m *Mapping) formats(rows []tables.Row, beside float64) {
	styles := [numbers.Neither + 1]int{}
	for _, f := range amounts {
		if !m.Has(f) {
			continue
		}
		c, col := m.Column(f), m.at[f]
		c.Unit = cmp.Or(c.Unit, layout.Unit(c.Text))
		for _, row := range rows {
			text := textOf(row, col)
			if c.Unit == 0 {
				c.Unit = cmp.Or(layout.Unit(text), numbers.Grams[m.UnitBeside(row, col)])
			}
			n, ok := numbers.Split(text)
			if !ok || row.Cells[col].Number != "" {
				continue
			}
			style := numbers.StyleOf(n.Digits)
			if style == numbers.Unclear && f == vocabulary.Boxes { // counts are never unclear
				style = numbers.Thousands(n.Digits)
			}
			if styles[style]++; style == numbers.Unclear {
				c.unclear = append(c.unclear, n.Digits)
			}
		}
		if f != vocabulary.Boxes {
			c.Unit = cmp.Or(c.Unit, beside)
		}
	}
	m.mixed = styles[numbers.Comma] > 0 && styles[numbers.Point] > 0
	switch {
	case m.Style != numbers.Unclear:
	case styles[numbers.Comma] > styles[numbers.Point]:
		m.Style = numbers.Comma
	case styles[numbers.Point] > 0:
		m.Style = numbers.Point
	}
	for _, f := range Weights {
		if m.Has(f) {
			c := m.Column(f)
			c.Style = cmp.Or(m.Style, likelier(c.unclear, m.Cartons || f == vocabulary.BoxWeight || f == vocabulary.BoxGross))
		}
	}
}

// likelier returns the style in which more of the weights, of boxes or of lines, are in the usual range.
func likelier(all []string, ofBoxes bool) numbers.Style {
	least, most := reference.LightestLine, reference.HeaviestLine
	if ofBoxes {
		least, most = reference.LightestBox, reference.HeaviestBox
	}
	commas := 0 // more than points
	for _, digits := range all {
		for style, hit := range map[numbers.Style]int{numbers.Point: -1, numbers.Comma: 1} {
			if v, ok := numbers.Value(digits, style); ok && v*1000 >= float64(least) && v*1000 <= float64(most) {
				commas += hit
			}
		}
	}
	if commas > 0 {
		return numbers.Comma
	}
	return numbers.Point
}
