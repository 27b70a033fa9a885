package mapping

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// wireName returns the name of a field for the caller of the reader.
func wireName(f vocabulary.Field) string {
	switch f {
	case vocabulary.Other, vocabulary.FruitWeight:
		return ""
	case vocabulary.Pieces:
		return string(vocabulary.Calibre)
	default:
		return string(f)
	}
}

// Fingerprint is equal for tables with the same headings in the same order and layout.
func (m Mapping) Fingerprint(t layout.Table) string {
	texts := []string{string(t.Kind)}
	for _, h := range t.Headings {
		if !h.Virtual {
			texts = append(texts, vocabulary.Fold(h.Text))
		}
	}
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// Describe returns the mapping of a table, and remarks on its unused columns that may be relevant.
func (m Mapping) Describe(t layout.Table, r *remarks.List) list.Mapping {
	described := list.Mapping{
		Layout: t.Kind, Fingerprint: m.Fingerprint(t), Source: m.Source, Template: m.Template,
		Columns: []list.Column{},
	}
	if m.Cartons {
		described.Layout = list.CartonsLayout
	}
	for name, style := range styleNames {
		if style == m.Style {
			described.NumberStyle = name
		}
	}
	for col := range min(len(m.Columns), list.MaxMappedColumns) {
		if c := m.Columns[col]; !c.Virtual && (c.Text != "" || m.numeric(col)) {
			described.Columns = append(described.Columns, m.column(t, col, r))
		}
	}
	m.remark(t, r)
	return described
}

// column describes a column.
func (m Mapping) column(t layout.Table, col int, r *remarks.List) list.Column {
	c := m.Columns[col]
	mapped := list.Column{
		Column: tables.ColumnName(col + 1), Field: wireName(c.Field), Score: min(1, max(0, c.Score)),
		Samples: c.values.samples, Place: c.place,
	}
	mapped.Heading, _ = remarks.Shortened(c.Text, remarks.MaxText)
	for _, s := range c.Steps {
		switch name := wireName(vocabulary.Field(s.Field)); {
		case s.Kept:
			mapped.Rules = append(mapped.Rules, s.Rule)
		case name != mapped.Field && slices.Contains(list.Fields, name) && len(mapped.Alternatives) < list.MaxAlternatives:
			other := list.Alternative{Field: name, Score: s.After, Rules: []string{s.Rule}}
			mapped.Alternatives = append(mapped.Alternatives, other)
		}
	}
	best := func(a, b list.Alternative) int { return cmp.Compare(b.Score, a.Score) }
	slices.SortStableFunc(mapped.Alternatives, best)
	f, used := m.Used(col)
	switch sizes := slices.Contains(t.Sizes, col); {
	case sizes:
		mapped.Field, mapped.Used = string(vocabulary.Boxes), true
	case used:
		mapped.Used = true
		if isWeight(f) {
			mapped.Unit = UnitName(c.Unit)
		}
	default:
		reason, relevant := m.unused(col)
		if relevant {
			heading := "without a heading"
			if c.Text != "" {
				heading = fmt.Sprintf("%q", c.Text)
			}
			r.Add("column_unused", t.At(t.From, col), mapped.Column, heading, reason)
		}
		mapped.Reason, _ = remarks.Shortened(cmp.Or(reason, "it is not needed"), remarks.MaxText)
	}
	return mapped
}

// remark remarks on amounts whose headings have words that are not known, which may change their meaning, unlike single
// letters and words with digits such as 4kg; and on numbers that are ambiguous, or of both styles.
func (m Mapping) remark(t layout.Table, r *remarks.List) {
	for _, f := range amounts {
		if !m.Has(f) {
			continue
		}
		c, at := m.Column(f), t.At(t.From, m.at[f])
		words := slices.DeleteFunc(slices.Clone(c.Meaning.Unknown), func(word string) bool {
			return len(word) == 1 || strings.ContainsAny(word, "0123456789")
		})
		if len(words) > 0 && !m.given[f] && (f != vocabulary.GrossWeight || !m.Has(vocabulary.NetWeight)) {
			r.Add("column_assumed", at, tables.ColumnName(m.at[f]+1), c.Text, f.Name(), strings.Join(words, " "))
		}
		if len(c.unclear) > 0 && m.Style == numbers.Unclear {
			v, _ := numbers.Value(c.unclear[0], c.Style)
			r.Add("number_ambiguous", at, c.unclear[0], c.Text, strconv.FormatFloat(v, 'f', -1, 64))
		} else if m.mixed && isWeight(f) {
			r.Add("number_ambiguous/mixed", at, c.Text)
			m.mixed = false // once
		}
	}
}

// unused returns why a column was not used, "" if it is not needed, and whether it may be relevant.
func (m Mapping) unused(col int) (reason string, relevant bool) {
	c := m.Columns[col]
	f := c.Field
	if reason = c.Meaning.Reason; reason != "" {
		f = c.Meaning.Resembles
	}
	switch f {
	case vocabulary.PalletNumber, vocabulary.SSCC:
		relevant = !c.values.counts
	case vocabulary.None:
		relevant = reason == "" && m.numeric(col)
	case vocabulary.Boxes, vocabulary.BoxWeight, vocabulary.NetWeight:
		relevant = m.numeric(col)
	case vocabulary.AnyWeight, vocabulary.FruitWeight:
		relevant = m.numeric(col) && (reason == "" || m.First(Weights...) == vocabulary.None)
	case vocabulary.Calibre:
		relevant = reason == ""
	default:
	}
	switch other := m.Has(f) && m.at[f] != col && wireName(f) != ""; {
	case c.Field == vocabulary.None && m.numeric(col):
		reason = "its heading is not known, and it has numbers"
	case c.Field == vocabulary.None:
		reason = "its heading is not known"
	case other:
		reason = strings.TrimPrefix(fmt.Sprintf("%s, and %s is taken from %q", reason, f.Name(), m.Column(f).Text), ", and ")
	}
	return reason, relevant && reason != ""
}

// numeric reports whether most cells of a column are numbers, other than row numbers.
func (m Mapping) numeric(col int) bool {
	if col < 0 {
		return false
	}
	v := m.Columns[col].values
	n := v.kinds["number"]
	return n > 0 && n*2 >= v.filled && (!v.counts || v.filled == 1)
}

// UnitName returns the name of a unit of weight.
func UnitName(grams float64) string {
	for _, name := range []string{"g", "lb", "t"} {
		if numbers.Grams[name] == grams {
			return name
		}
	}
	return "kg"
}

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
