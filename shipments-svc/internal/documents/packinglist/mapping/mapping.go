// Package mapping gives the columns of a table fields: by their headings, their values
// and their units. Where several columns may have a field, it proposes several mappings,
// of which the numbers of the list choose one.
package mapping

import (
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Mapping is the fields of the columns of a table.
type Mapping struct {
	Columns  []Column
	Chosen   []Choice // columns that this mapping has in place of others
	Prior    float64  // how well the headings and values agree with it, up to 0
	Source   shipments.MappingSource
	Template string
	Style    numbers.Style // of the numbers of the table
	given    map[vocabulary.Field]bool
	at       map[vocabulary.Field]int
}

// Column is a column and what it was taken for.
type Column struct {
	layout.Heading
	Field  vocabulary.Field
	Score  float64  // from 0 to 1
	Rules  []string // that made the score
	Unit   float64  // of a weight in grams, from the heading or the cells; 0: not given
	Units  int      // the column of the units of its cells; 0: none
	Style  numbers.Style
	values values
}

// Choice is a field for which a mapping has another column than the first one.
type Choice struct {
	Field         vocabulary.Field
	Column, First int
}

// At returns the column of a field, or -1.
func (m Mapping) At(f vocabulary.Field) int {
	if col, ok := m.at[f]; ok {
		return col
	}
	return -1
}

// Has reports whether a field has a column.
func (m Mapping) Has(f vocabulary.Field) bool { _, ok := m.at[f]; return ok }

// Given reports whether a person or a template gave a field its column.
func (m Mapping) Given(f vocabulary.Field) bool { return m.given[f] }

// First returns the first field that has a column, or None.
func (m Mapping) First(fields ...vocabulary.Field) vocabulary.Field {
	for _, f := range fields {
		if m.Has(f) {
			return f
		}
	}
	return vocabulary.None
}

// Column returns the column of a field, which must have one.
func (m Mapping) Column(f vocabulary.Field) *Column { return &m.Columns[m.at[f]] }

// Used returns the field that is read from a column.
func (m Mapping) Used(col int) (vocabulary.Field, bool) {
	if col >= len(m.Columns) {
		return vocabulary.None, false
	}
	f := m.Columns[col].Field
	at, ok := m.at[f]
	return f, ok && at == col && used(f)
}

// used reports whether a field is read.
func used(f vocabulary.Field) bool {
	switch f {
	case vocabulary.None, vocabulary.Other, vocabulary.Line, vocabulary.FruitWeight:
		return false
	default:
		return true
	}
}

// values is what the cells of a column have in common.
type values struct {
	filled, numeric, distinct int
	whole, words              int     // positive whole numbers, and texts without digits
	sizes, commodities        int     // texts like calibres, and names of produce
	containers                int     // numbers of containers
	sscc                      int     // with a valid check digit
	counts                    bool    // 1, 2, 3 …
	short                     bool    // like calibres
	value                     float64 // of one cell
}

// Of returns the possible mappings of tables with the same headings, the likeliest first.
func Of(all []layout.Table, given []shipments.Assignment) []Mapping {
	m := Mapping{Source: shipments.FromHeadings, given: map[vocabulary.Field]bool{}}
	first := all[0]
	width := len(first.Headings)
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			width = max(width, len(row.Cells))
		}
	}
	for col := range min(width, tables.MaxColumns) {
		c := Column{values: valuesOf(all, col)}
		if col < len(first.Headings) {
			c.Heading = first.Headings[col]
		}
		c.Field, c.Score = c.Meaning.Field, c.Meaning.Score
		if c.Meaning.Rule != "" {
			c.Rules = append(c.Rules, c.Meaning.Rule)
		}
		m.Columns = append(m.Columns, c)
	}
	m.byValues()
	m.assign()
	m.fallBack()
	m.unitColumns(all)
	m = m.with(first, given)
	proposals := m.rivals(all)
	for i := range proposals {
		proposals[i].formats(all)
	}
	return proposals
}

// byValues changes the fields of columns whose values say more than their headings.
func (m *Mapping) byValues() {
	for col := range m.Columns {
		c := &m.Columns[col]
		switch v := c.values; {
		case c.Field == vocabulary.PalletNumber && v.filled > 0 && v.sscc*10 >= v.filled*9:
			c.take(vocabulary.SSCC, 1, "check-digits")
		case c.Field == vocabulary.PalletNumber && v.filled > 1 && v.distinct == 1 && v.numeric == 0:
			c.Score -= 0.2 // the kind of pallet
			c.Rules = append(c.Rules, "one-value")
		case c.Field == vocabulary.PalletNumber && v.counts && v.filled > 1:
			c.Score -= 0.05 // a running number, if there is another
			c.Rules = append(c.Rules, "running-number")
		}
	}
}

// take gives a column a field by a rule.
func (c *Column) take(f vocabulary.Field, score float64, rule string) {
	c.Field, c.Score, c.Rules = f, score, append(slices.Clone(c.Rules), rule)
}

// assign maps each field to the column with the highest score, the first of several.
func (m *Mapping) assign() {
	m.at = map[vocabulary.Field]int{}
	for col, c := range m.Columns {
		if best, ok := m.at[c.Field]; c.Field != vocabulary.None && (!ok || c.Score > m.Columns[best].Score) {
			m.at[c.Field] = col
		}
	}
}

// fallBack gives fields that no heading names the column that is nearest to them.
func (m *Mapping) fallBack() {
	move := func(from, to vocabulary.Field, rule string) {
		col := m.at[from]
		m.Columns[col].take(to, m.Columns[col].Score, rule)
		m.at[to] = col
		delete(m.at, from)
	}
	if m.Has(vocabulary.FruitWeight) && !m.Has(vocabulary.NetWeight) && !m.Has(vocabulary.BoxWeight) &&
		layout.Unit(m.Column(vocabulary.FruitWeight).Text) > 1 {
		move(vocabulary.FruitWeight, vocabulary.NetWeight, "no-net-weight")
	}
	if m.Has(vocabulary.Pieces) && !m.Has(vocabulary.Calibre) {
		move(vocabulary.Pieces, vocabulary.Calibre, "no-calibre")
	}
	claim := func(f vocabulary.Field, rule string, fits func(*Column) bool) {
		for col := range m.Columns {
			if c := &m.Columns[col]; !m.Has(f) && c.values.filled > 0 &&
				(c.Field == vocabulary.None || c.Meaning.Rule == "type") &&
				fits(c) {
				c.take(f, vocabulary.Clear, rule)
				m.at[f] = col
			}
		}
	}
	claim(vocabulary.Calibre, "short-values", func(c *Column) bool { // "Tipo" of melons
		return c.Meaning.Rule == "type" && c.Meaning.Unknown == nil && c.values.short && c.values.words < c.values.filled
	})
	claim(
		vocabulary.Calibre,
		"sizes",
		func(c *Column) bool { return c.values.distinct > 1 && c.values.sizes*10 >= c.values.filled*9 },
	)
	claim(
		vocabulary.Container,
		"container-numbers",
		func(c *Column) bool { return c.values.containers*10 >= c.values.filled*9 },
	)
	claim(vocabulary.Produce, "commodities", func(c *Column) bool { return c.values.commodities*10 >= c.values.filled*6 })
	if !m.Has(vocabulary.Variety) {
		claim(
			vocabulary.Produce,
			"only-words",
			func(c *Column) bool { return c.Field != vocabulary.None && c.values.words == c.values.filled },
		)
	}
}

// with returns a mapping with the columns that assignments for the table give.
func (m Mapping) with(t layout.Table, given []shipments.Assignment) Mapping {
	for _, a := range given {
		if a.Sheet != "" && a.Sheet != t.Name || a.Fingerprint != "" && a.Fingerprint != m.Fingerprint(t) {
			continue
		}
		m.Source, m.Template = shipments.FromPerson, a.Template
		if a.Template != "" {
			m.Source = shipments.FromTemplate
		}
		for _, column := range a.Columns {
			col := -1
			for i := range m.Columns {
				if tables.ColumnName(i+1) == strings.ToUpper(column.Column) {
					col = i
				}
			}
			if col < 0 {
				continue
			}
			f := vocabulary.Field(column.Field)
			if f == vocabulary.None {
				f = vocabulary.Other
			}
			for i := range m.Columns { // one column has a field that is given
				if c := &m.Columns[i]; i != col && c.Field == f && f != vocabulary.Other {
					c.take(vocabulary.Other, 1, string(m.Source))
				}
			}
			m.Columns[col].take(f, 1, string(m.Source))
			m.Columns[col].Meaning.Reason = ""
			m.given[f] = true
			if grams, ok := numbers.Grams[column.Unit]; ok {
				m.Columns[col].Unit = grams
			}
		}
		switch a.NumberStyle {
		case shipments.PointStyle:
			m.Style = numbers.Point
		case shipments.CommaStyle:
			m.Style = numbers.Comma
		}
		m.assign()
	}
	return m
}
