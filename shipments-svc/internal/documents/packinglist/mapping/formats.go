package mapping

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Weights are the fields of weights.
var Weights = []vocabulary.Field{
	vocabulary.BoxWeight, vocabulary.BoxGross, vocabulary.NetWeight, vocabulary.GrossWeight, vocabulary.AnyWeight,
}

// Counts are the fields whose numbers have no decimals.
var Counts = []vocabulary.Field{vocabulary.Boxes, vocabulary.PalletCount}

func isWeight(f vocabulary.Field) bool { return slices.Contains(Weights, f) }

// usual is the usual range of a weight in grams. It decides between 1.234 and 1234 where
// the document has no unambiguous number.
func usual(f vocabulary.Field) (least, most shipments.Grams) {
	if f == vocabulary.BoxWeight || f == vocabulary.BoxGross {
		return reference.LightestBox, reference.HeaviestBox
	}
	return reference.LightestLine, reference.HeaviestLine
}

// unitColumns finds columns of units, of which one is a weight: KG, BAG. They apply to
// the next quantity on the left that is not headed as boxes or with a unit, or else to
// any weight.
func (m *Mapping) unitColumns(all []layout.Table) {
	for col := 1; col < len(m.Columns); col++ {
		if !hasUnits(all, col) {
			continue
		}
		if f := m.Columns[col].Field; m.at[f] == col {
			delete(m.at, f)
		}
		nearest, left := vocabulary.None, -1
		for f, at := range m.at {
			if at > col || at < left || !isWeight(f) && f != vocabulary.Boxes || layout.Unit(m.Columns[at].Text) > 0 {
				continue
			}
			if of := m.Columns[at].Meaning.Concepts; f != vocabulary.Boxes || of&vocabulary.Box == 0 {
				nearest, left = f, at
			}
		}
		if nearest == vocabulary.None {
			nearest = m.First(vocabulary.BoxWeight, vocabulary.NetWeight, vocabulary.AnyWeight, vocabulary.GrossWeight)
		}
		if nearest != vocabulary.None {
			m.Column(nearest).Units = col
		}
		m.Columns[col].take(vocabulary.Other, 1, "units")
	}
}

// hasUnits reports whether a column has units only, one of which is of weight.
func hasUnits(all []layout.Table, col int) bool {
	weights := 0
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			if col >= len(row.Cells) || row.Cells[col].Text == "" || !layout.IsFull(row) {
				continue
			}
			text := row.Cells[col].Text
			if _, weight := numbers.Grams[strings.ToLower(strings.Trim(text, " ."))]; weight && len(text) > 1 {
				weights++
			} else if strings.ContainsAny(text, "0123456789") {
				return false
			}
		}
	}
	return weights > 0
}

// UnitOf returns the unit of a field in a row from the column of its units, if it is of
// weight.
func (m Mapping) UnitOf(row tables.Row, f vocabulary.Field) string {
	if col := m.Column(f).Units; col > 0 && col < len(row.Cells) {
		unit := strings.ToLower(strings.Trim(row.Cells[col].Text, " ."))
		if _, weight := numbers.Grams[unit]; weight {
			return unit
		}
	}
	return ""
}

// formats detects the unit and the number style of each amount. A column without
// unambiguous numbers has the style of the others.
func (m *Mapping) formats(all []layout.Table) {
	var common styles
	texts := map[vocabulary.Field][]string{}
	for _, f := range slices.Concat(Weights, Counts) {
		if !m.Has(f) {
			continue
		}
		c := m.Column(f)
		c.Unit = cmp.Or(c.Unit, layout.Unit(c.Text))
		for _, t := range all {
			for _, row := range t.Rows[t.To:] {
				if m.at[f] >= len(row.Cells) || row.Cells[m.at[f]].Text == "" {
					continue
				}
				cell := row.Cells[m.at[f]]
				if c.Unit == 0 {
					c.Unit = cmp.Or(layout.Unit(cell.Text), layout.Unit(m.UnitOf(row, f)))
				}
				if cell.Number == "" {
					texts[f] = append(texts[f], cell.Text)
				}
			}
		}
		if c.Unit == 0 && isWeight(f) {
			c.Unit = all[0].UnitBeside()
		}
		common.add(texts[f], !isWeight(f))
	}
	if m.Style == numbers.Unclear {
		m.Style, _, _ = common.most()
	}
	for f, column := range texts {
		if !isWeight(f) {
			continue
		}
		c := m.Column(f)
		c.styles = styles{}
		c.styles.add(column, false)
		own, _, open := c.styles.most()
		if own == numbers.Unclear && open {
			own = cmp.Or(m.Style, likelier(column, f))
			c.unclear = column[slices.IndexFunc(column, func(text string) bool {
				n, ok := numbers.Split(text)
				return ok && numbers.StyleOf(n.Digits) == numbers.Unclear
			})]
		}
		c.Style = own
	}
}

// RemarkFormats remarks on numbers that are ambiguous, or of both styles.
func (m Mapping) RemarkFormats(all []layout.Table, r *remarks.List) {
	for _, f := range Weights {
		if !m.Has(f) {
			continue
		}
		c, at := m.Column(f), all[0].At(all[0].From, m.at[f])
		own, mixed, _ := c.styles.most()
		switch {
		case own == numbers.Unclear && c.unclear != "" && m.Style == numbers.Unclear:
			n, _ := numbers.Split(c.unclear)
			v, _ := numbers.Value(n.Digits, c.Style)
			r.Add("number_ambiguous", at, c.unclear, c.Text, strconv.FormatFloat(v, 'f', -1, 64))
		case mixed:
			r.Add("number_ambiguous/mixed", at, c.Text)
		}
	}
}

// likelier returns the style in which more of the texts are in the usual range.
func likelier(texts []string, f vocabulary.Field) numbers.Style {
	least, most := usual(f)
	var points, commas int
	for _, text := range texts {
		n, _ := numbers.Split(text)
		for style, hits := range map[numbers.Style]*int{numbers.Point: &points, numbers.Comma: &commas} {
			if v, ok := numbers.Value(n.Digits, style); ok && v*1000 >= float64(least) && v*1000 <= float64(most) {
				*hits++
			}
		}
	}
	if commas > points {
		return numbers.Comma
	}
	return numbers.Point
}

// styles counts numbers by style.
type styles [numbers.Neither + 1]int

// add counts the styles of texts. Counts are never unclear.
func (s *styles) add(texts []string, counting bool) {
	for _, text := range texts {
		if n, ok := numbers.Split(text); ok {
			own := numbers.StyleOf(n.Digits)
			if own == numbers.Unclear && counting {
				own = numbers.Thousands(n.Digits)
			}
			s[own]++
		}
	}
}

// most returns the most frequent unambiguous style. mixed: both occur; open: some
// numbers are ambiguous.
func (s styles) most() (_ numbers.Style, mixed, open bool) {
	open = s[numbers.Unclear] > 0
	switch {
	case s[numbers.Point] == 0 && s[numbers.Comma] == 0:
		return numbers.Unclear, false, open
	case s[numbers.Comma] > s[numbers.Point]:
		return numbers.Comma, s[numbers.Point] > 0, open
	default:
		return numbers.Point, s[numbers.Comma] > 0, open
	}
}
