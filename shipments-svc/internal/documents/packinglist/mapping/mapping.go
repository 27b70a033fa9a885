// Package mapping gives the columns of a table fields. A column has the field and score of the rule for its heading
// (vocabulary/headings.txt); rules for its values may change both (evidence.txt); a person or a template overrules
// them. Of the columns with a field the one with the highest score has it. Where several columns may have a field,
// there are several mappings, of which package reconcile chooses one by the numbers of the list. The ids of all rules
// that applied are kept with the column.
package mapping

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// Mapping is the fields of the columns of a table.
type Mapping struct {
	Columns  []Column
	Prior    float64 // how well the headings and values agree with it, up to 0
	Source   list.Source
	Template string
	Style    numbers.Style // of the numbers of the table
	Cartons  bool          // each row is a box
	Instead  *list.Step    // by which another column has a field than in the likeliest mapping
	mixed    bool          // the numbers have both styles
	given    map[vocabulary.Field]bool
	at       map[vocabulary.Field]int
}

// Column is a column and what it was taken for.
type Column struct {
	layout.Heading
	Field   vocabulary.Field
	Score   float64    // from 0 to 1
	Steps   list.Trace // that made the score
	Unit    float64    // of a weight in grams, from the heading or the cells; 0: not given
	Style   numbers.Style
	place   tables.Place
	values  values
	sparse  bool     // most lines have no value
	unclear []string // its numbers that are ambiguous
}

// Pallets reports whether the lines of a table have pallet numbers.
func (m Mapping) Pallets(t layout.Table) bool {
	return m.Has(vocabulary.PalletNumber) || m.Has(vocabulary.SSCC) || t.Gives(vocabulary.PalletNumber)
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

// First returns the first field that has a column, or None.
func (m Mapping) First(fields ...vocabulary.Field) vocabulary.Field {
	for _, f := range fields {
		if m.Has(f) {
			return f
		}
	}
	return vocabulary.None
}

// Sparse reports whether a field is a name that most lines lack, which is that of a line above.
func (m Mapping) Sparse(f vocabulary.Field) bool {
	return (f == vocabulary.Produce || f == vocabulary.Variety) && m.Has(f) && m.Column(f).sparse
}

// Column returns the column of a field, which must have one.
func (m Mapping) Column(f vocabulary.Field) *Column { return &m.Columns[m.at[f]] }

// Used returns the field that is read from a column.
func (m Mapping) Used(col int) (vocabulary.Field, bool) {
	unused := []vocabulary.Field{vocabulary.Other, vocabulary.Line, vocabulary.FruitWeight}
	for f, at := range m.at {
		if at == col && !slices.Contains(unused, f) {
			return f, true
		}
	}
	return vocabulary.None, false
}

// Of returns the possible mappings of tables with the same headings, the likeliest first.
func Of(all []layout.Table, given []list.Assignment) []Mapping {
	first := all[0]
	m := Mapping{Source: list.FromHeadings, given: map[vocabulary.Field]bool{}}
	for _, f := range []vocabulary.Field{vocabulary.PalletNumber, vocabulary.Calibre} {
		m.given[f] = first.Gives(f)
	}
	var rows, lines []tables.Row
	width := len(first.Headings)
	for _, t := range all {
		rows = append(rows, t.Body()...)
	}
	for _, row := range rows {
		if width = max(width, len(row.Cells)); layout.IsFull(row) && !layout.IsTotal(row) {
			lines = append(lines, row)
		}
	}
	for col := range min(width, tables.MaxColumns) {
		c := Column{values: valuesOf(lines, col), place: first.At(first.From, col)}
		c.sparse = c.values.filled*2 < len(lines)
		if col < len(first.Headings) {
			c.Heading = first.Headings[col]
		}
		if c.Meaning.Rule != "" {
			c.take(c.Meaning.Field, c.Meaning.Score, c.Meaning.Rule, "its heading")
		}
		for _, o := range c.Meaning.Others {
			c.step(list.Step{Field: string(o.Field), Rule: o.Rule, After: o.Score, Note: "its heading, too"})
		}
		m.Columns = append(m.Columns, c)
	}
	m.weigh(lines)
	m.with(first, given)
	m.Cartons = m.cartons(lines)
	proposals := m.rivals()
	for i := range proposals {
		proposals[i].formats(rows, first.UnitBeside())
	}
	return proposals
}

// take gives a column a field by a rule.
func (c *Column) take(f vocabulary.Field, score float64, rule, note string) {
	c.step(list.Step{Field: string(f), Rule: rule, Before: c.Score, After: score, Kept: true, Note: note})
	c.Field, c.Score = f, score
}

func (c *Column) step(s list.Step) {
	s.Stage, s.Where = list.MappingStage, c.place
	c.Steps = c.Steps.With(s)
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

// with gives columns the fields of the assignments for the table.
func (m *Mapping) with(t layout.Table, given []list.Assignment) {
	for _, a := range given {
		if a.Sheet != "" && a.Sheet != t.Name || a.Fingerprint != "" && a.Fingerprint != m.Fingerprint(t) {
			continue
		}
		m.Source, m.Template = list.FromPerson, a.Template
		if a.Template != "" {
			m.Source = list.FromTemplate
		}
		for _, column := range a.Columns {
			for i := range m.Columns {
				if tables.ColumnName(i+1) == strings.ToUpper(column.Column) {
					m.give(i, cmp.Or(vocabulary.Field(column.Field), vocabulary.Other), numbers.Grams[column.Unit])
				}
			}
		}
		m.Style = cmp.Or(styleNames[a.NumberStyle], m.Style)
		m.assign()
	}
}

// give gives a column, and no other, a field.
func (m *Mapping) give(col int, f vocabulary.Field, unit float64) {
	for i := range m.Columns {
		if c := &m.Columns[i]; i != col && c.Field == f && f != vocabulary.Other {
			c.take(vocabulary.Other, 1, string(m.Source), "another column was given its field")
		}
	}
	c := &m.Columns[col]
	c.take(f, 1, string(m.Source), "it was given")
	c.Meaning.Reason, c.Unit = "", cmp.Or(unit, c.Unit)
	m.given[f] = true
}

// styleNames are the styles of numbers as a mapping names them.
var styleNames = map[list.NumberStyle]numbers.Style{list.PointStyle: numbers.Point, list.CommaStyle: numbers.Comma}

// WeightFields returns the fields from which the weights of a box and of a line are read: net ones where they are.
func (m Mapping) WeightFields() (box, whole vocabulary.Field) {
	box = m.First(vocabulary.BoxWeight, vocabulary.BoxGross)
	whole = m.First(vocabulary.NetWeight, vocabulary.AnyWeight, vocabulary.GrossWeight)
	switch {
	case box == vocabulary.BoxGross && whole == vocabulary.NetWeight:
		box = vocabulary.None
	case box == vocabulary.BoxWeight && whole != vocabulary.NetWeight:
		whole = vocabulary.None
	}
	return box, whole
}

// Weighs reports whether there are weights other than gross weights.
func (m Mapping) Weighs() bool {
	return m.First(vocabulary.BoxWeight, vocabulary.NetWeight, vocabulary.AnyWeight) != vocabulary.None
}

const (
	// maxProposals is the maximum number of mappings that are tried.
	maxProposals = 24
	// arithmetic is the rule by which the numbers of a list choose a column.
	arithmetic = "arithmetic"
	// unheaded is the score of a column for a field that its heading does not name.
	unheaded = 0.6
)

// contested are the fields that several columns may have.
var contested = []vocabulary.Field{
	vocabulary.Boxes, vocabulary.NetWeight, vocabulary.BoxWeight, vocabulary.GrossWeight, vocabulary.PalletNumber,
}

// rivals returns a mapping and those with another column for a contested field: by its heading, or numbers alone.
func (m Mapping) rivals() []Mapping {
	proposals := []Mapping{m}
	for col, c := range m.Columns {
		own := m.Has(c.Field) && m.at[c.Field] == col
		counted := !m.Has(vocabulary.Boxes) && c.Meaning.Reason == "" &&
			(c.Field == vocabulary.PalletCount || c.Field == vocabulary.Pieces)
		switch {
		case c.values.filled == 0 || m.given[c.Field] || own && !counted:
		case slices.Contains(contested, c.Field):
			p := m.instead(c.Field, col)
			p.try(c.Field, col, c.Score)
			proposals = append(proposals, p)
		case (c.Field == vocabulary.None || counted) && c.values.kinds["number"] == c.values.filled && !m.Cartons:
			for _, f := range m.unheaded(c.values) {
				p := m.instead(f, col)
				p.try(f, col, unheaded)
				p.Prior = unheaded - 1
				proposals = append(proposals, p)
			}
		}
	}
	return proposals[:min(len(proposals), maxProposals)]
}

// unheaded returns the fields that a column of numbers without a known heading may have:
// boxes, or the net weight beside the gross weight, of the line or of a box.
func (m Mapping) unheaded(v values) (fields []vocabulary.Field) {
	if v.counts {
		return nil
	}
	varies := v.distinct > 1 || m.Has(vocabulary.BoxWeight)
	weighed := m.First(Weights...) != vocabulary.None && !m.given[vocabulary.Boxes]
	if v.kinds["whole"] == v.filled && varies && weighed {
		fields = append(fields, vocabulary.Boxes)
	}
	if m.Has(vocabulary.GrossWeight) && m.First(vocabulary.NetWeight, vocabulary.BoxWeight) == vocabulary.None {
		fields = append(fields, vocabulary.NetWeight, vocabulary.BoxWeight)
	}
	return fields
}

// try gives a column a field, if the numbers of the list agree.
func (m *Mapping) try(f vocabulary.Field, col int, score float64) {
	c := &m.Columns[col]
	c.take(f, score, arithmetic, "the numbers of the list agree")
	m.Instead = &c.Steps[len(c.Steps)-1]
}

// Trace returns the steps that gave the columns their fields, and which of several columns has each, with the second.
func (m Mapping) Trace() (all list.Trace) {
	for col, c := range m.Columns {
		all = all.With(c.Steps...)
		f, used := m.Used(col)
		var rival *list.Rival
		for i, o := range m.Columns {
			if i != col && used && o.Field == f && (rival == nil || o.Score > rival.Score) {
				rival = &list.Rival{Where: o.place, Score: o.Score}
			}
		}
		if rival != nil {
			all = all.With(list.Step{
				Stage: list.MappingStage, Where: c.place, Field: string(f), Rule: "best-column", Before: c.Score, After: c.Score,
				Rival: rival, Kept: true,
			})
		}
	}
	return all
}

// instead returns a mapping with another column for a field.
func (m Mapping) instead(f vocabulary.Field, col int) Mapping {
	p := m
	p.Columns, p.at = slices.Clone(m.Columns), maps.Clone(m.at)
	if m.Has(f) {
		p.Prior = m.Columns[col].Score - m.Column(f).Score
	}
	p.at[f] = col
	return p
}
