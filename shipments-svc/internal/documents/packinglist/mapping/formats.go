package mapping

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// Weights are the fields of weights.
var Weights = []vocabulary.Field{
	vocabulary.BoxWeight, vocabulary.BoxGross, vocabulary.NetWeight, vocabulary.GrossWeight, vocabulary.AnyWeight,
}

func isWeight(f vocabulary.Field) bool { return slices.Contains(Weights, f) }

// UnitBeside returns the unit of a weight in a row from the column of units on its right, or "".
func (m Mapping) UnitBeside(row tables.Row, col int) string {
	if col++; col < min(len(m.Columns), len(row.Cells)) && slices.Contains(m.Columns[col].Rules, "units") {
		return unitName(row.Cells[col].Text)
	}
	return ""
}

// formats detects the unit of each amount and the style of the numbers, of which most
// decide. Where none does, each column has the style of likelier weights.
func (m *Mapping) formats(rows []tables.Row, beside float64) {
	styles, unclear := [numbers.Neither + 1]int{}, map[vocabulary.Field][]string{}
	for _, f := range append([]vocabulary.Field{vocabulary.Boxes}, Weights...) {
		if !m.Has(f) {
			continue
		}
		c := m.Column(f)
		c.Unit = cmp.Or(c.Unit, layout.Unit(c.Text))
		for _, row := range rows {
			if m.at[f] >= len(row.Cells) || row.Cells[m.at[f]].Text == "" {
				continue
			}
			cell := row.Cells[m.at[f]]
			if c.Unit == 0 {
				c.Unit = cmp.Or(layout.Unit(cell.Text), numbers.Grams[m.UnitBeside(row, m.at[f])])
			}
			n, ok := numbers.Split(cell.Text)
			if !ok || cell.Number != "" {
				continue
			}
			style := numbers.StyleOf(n.Digits)
			if style == numbers.Unclear && !isWeight(f) { // counts are never unclear
				style = numbers.Thousands(n.Digits)
			}
			if styles[style]++; style == numbers.Unclear {
				unclear[f] = append(unclear[f], cell.Text)
			}
		}
		if c.Unit == 0 && isWeight(f) {
			c.Unit = beside
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
			c.Style, c.unclear = cmp.Or(m.Style, likelier(unclear[f], f)), unclear[f]
		}
	}
}

// remarkFormats remarks on numbers that are ambiguous, or of both styles.
func (m Mapping) remarkFormats(t layout.Table, r *remarks.List) {
	for _, f := range Weights {
		if !m.Has(f) {
			continue
		}
		c, at := m.Column(f), t.At(t.From, m.at[f])
		switch {
		case len(c.unclear) > 0 && m.Style == numbers.Unclear:
			n, _ := numbers.Split(c.unclear[0])
			v, _ := numbers.Value(n.Digits, c.Style)
			r.Add("number_ambiguous", at, c.unclear[0], c.Text, strconv.FormatFloat(v, 'f', -1, 64))
		case m.mixed:
			r.Add("number_ambiguous/mixed", at, c.Text)
			return
		}
	}
}

// likelier returns the style in which more of the weights are in the usual range.
func likelier(texts []string, f vocabulary.Field) numbers.Style {
	least, most := reference.LightestLine, reference.HeaviestLine
	if f == vocabulary.BoxWeight || f == vocabulary.BoxGross {
		least, most = reference.LightestBox, reference.HeaviestBox
	}
	commas := 0 // more than points
	for _, text := range texts {
		n, _ := numbers.Split(text)
		for style, hit := range map[numbers.Style]int{numbers.Point: -1, numbers.Comma: 1} {
			if v, ok := numbers.Value(n.Digits, style); ok && v*1000 >= float64(least) && v*1000 <= float64(most) {
				commas += hit
			}
		}
	}
	if commas > 0 {
		return numbers.Comma
	}
	return numbers.Point
}
