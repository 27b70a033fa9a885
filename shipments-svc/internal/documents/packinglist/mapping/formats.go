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

// unitColumns attaches each column of units, of which one is a weight: KG, BAG. It applies
// to the next quantity on the left that is not headed as boxes or with a unit, or else to
// any weight.
func (m *Mapping) unitColumns() {
	for col := range m.Columns {
		if !slices.Contains(m.Columns[col].Rules, "units") {
			continue
		}
		left := -1
		for f, at := range m.at {
			open := isWeight(f) || f == vocabulary.Boxes && m.Columns[at].Meaning.Concepts&vocabulary.Box == 0
			if at < col && open && layout.Unit(m.Columns[at].Text) == 0 {
				left = max(left, at)
			}
		}
		if left < 0 {
			left = m.At(m.First(Weights...))
		}
		if left >= 0 {
			m.Columns[left].Units = col
		}
	}
}

// UnitOf returns the unit of a field in a row from the column of its units, if it is of
// weight.
func (m Mapping) UnitOf(row tables.Row, f vocabulary.Field) string {
	if col := m.Column(f).Units; col > 0 && col < len(row.Cells) {
		if unit := unitName(row.Cells[col].Text); numbers.Grams[unit] > 0 {
			return unit
		}
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
				c.Unit = cmp.Or(layout.Unit(cell.Text), layout.Unit(m.UnitOf(row, f)))
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
