package mapping

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// wireName returns the name of a field for the caller of the reader.
func wireName(f vocabulary.Field) string {
	if f == vocabulary.Other || f == vocabulary.FruitWeight {
		return ""
	}
	if f == vocabulary.Pieces {
		return string(vocabulary.Calibre)
	}
	return string(f)
}

// Describe returns the mapping of a table for people and templates, and remarks on its
// unused columns that may be relevant.
func (m Mapping) Describe(t layout.Table, r *remarks.List) shipments.Mapping {
	described := shipments.Mapping{
		Sheet: t.Name, Layout: m.Layout(t), HeaderRow: t.At(t.From, -1).Row, HeaderRows: max(1, t.To-t.From),
		NumberStyle: StyleName(m.Style),
		Fingerprint: m.Fingerprint(t), Source: m.Source, Template: m.Template,
		Columns: []shipments.MappedColumn{}, Skipped: []shipments.SkippedRow{},
	}
	for col := range min(len(m.Columns), shipments.MaxMappedColumns) {
		c := &m.Columns[col]
		if c.Virtual || c.Text == "" && !m.numeric(col) {
			continue
		}
		mapped := shipments.MappedColumn{
			Column: tables.ColumnName(col + 1),
			Field:  wireName(c.Field),
			Score:  min(1, max(0, c.Score)),
			Rules:  c.Rules,
		}
		for _, o := range c.Meaning.Others {
			if name := wireName(o.Field); name != mapped.Field && len(mapped.Alternatives) < shipments.MaxAlternatives {
				mapped.Alternatives = append(
					mapped.Alternatives,
					shipments.Alternative{Field: name, Score: o.Score, Rules: []string{o.Rule}},
				)
			}
		}
		switch f, ok := m.Used(col); {
		case slices.Contains(t.Sizes, col):
			mapped.Field, mapped.Used = string(vocabulary.Boxes), true
		case ok:
			mapped.Used = true
			if isWeight(f) {
				mapped.Unit = UnitName(c.Unit)
			}
		default:
			mapped.Reason = m.unused(col)
			if mapped.Reason != "" && m.relevant(col) {
				heading := "without a heading"
				if c.Text != "" {
					heading = fmt.Sprintf("%q", c.Text)
				}
				r.Add("column_unused", t.At(t.From, col), mapped.Column, heading, mapped.Reason)
			}
			if mapped.Reason == "" {
				mapped.Reason = "it is not needed"
			}
		}
		mapped.Heading, _ = remarks.Shortened(c.Text, remarks.MaxText)
		mapped.Reason, _ = remarks.Shortened(mapped.Reason, remarks.MaxText)
		described.Columns = append(described.Columns, mapped)
	}
	m.remark(t, r)
	return described
}

// remark remarks on columns that were chosen, and on amounts whose headings have words
// that are not known, which may change their meaning. Single letters and words with
// digits, such as 4kg, do not.
func (m Mapping) remark(t layout.Table, r *remarks.List) {
	for _, c := range m.Chosen {
		r.Add("column_chosen", t.At(t.From, c.Column), tables.ColumnName(c.First+1), m.Columns[c.First].Text,
			tables.ColumnName(c.Column+1), m.Columns[c.Column].Text, c.Field.Name())
	}
	for _, f := range []vocabulary.Field{
		vocabulary.Boxes, vocabulary.BoxWeight, vocabulary.NetWeight,
		vocabulary.AnyWeight, vocabulary.GrossWeight,
	} {
		if !m.Has(f) || m.given[f] || f == vocabulary.GrossWeight && m.Has(vocabulary.NetWeight) {
			continue
		}
		c := m.Column(f)
		words := slices.DeleteFunc(slices.Clone(c.Meaning.Unknown), func(word string) bool {
			return len(word) == 1 || strings.ContainsAny(word, "0123456789")
		})
		if len(words) > 0 {
			r.Add("column_assumed", t.At(t.From, m.at[f]), tables.ColumnName(m.at[f]+1), c.Text, f.Name(),
				strings.Join(words, " "))
		}
	}
}

// unused returns why a column was not used, or "" for one that is understood
// and not needed.
func (m Mapping) unused(col int) string {
	c := m.Columns[col]
	switch likes := c.Meaning.Resembles; {
	case c.Meaning.Reason != "" && wireName(likes) != "" && m.Has(likes):
		return fmt.Sprintf("%s, and %s is taken from %q", c.Meaning.Reason, likes.Name(), m.Column(likes).Text)
	case c.Meaning.Reason != "":
		return c.Meaning.Reason
	case c.Field == vocabulary.None && m.numeric(col):
		return "its heading is not known, and it has numbers"
	case c.Field == vocabulary.None:
		return "its heading is not known"
	case m.Has(c.Field) && m.at[c.Field] != col && wireName(c.Field) != "":
		return fmt.Sprintf("%s is taken from %q", c.Field.Name(), m.Column(c.Field).Text)
	}
	return ""
}

// relevant reports whether an unused column may be relevant.
func (m Mapping) relevant(col int) bool {
	c := m.Columns[col]
	f, qualified := c.Field, c.Meaning.Reason != ""
	if qualified {
		f = c.Meaning.Resembles
	}
	switch f {
	case vocabulary.PalletNumber, vocabulary.SSCC:
		return !c.values.counts
	case vocabulary.None:
		return !qualified && m.numeric(col)
	case vocabulary.Boxes, vocabulary.BoxWeight, vocabulary.NetWeight:
		return m.numeric(col)
	case vocabulary.AnyWeight, vocabulary.FruitWeight:
		return m.numeric(col) && (!qualified || m.First(Weights...) == vocabulary.None)
	case vocabulary.Calibre:
		return !qualified
	default:
		return false
	}
}

// numeric reports whether most cells of a column are numbers, other than row
// numbers.
func (m Mapping) numeric(col int) bool {
	v := m.Columns[col].values
	return v.numeric > 0 && v.numeric*2 >= v.filled && (!v.counts || v.filled == 1)
}

// UnitName returns the name of a unit of weight.
func UnitName(grams float64) string {
	switch grams {
	case 1:
		return "g"
	case numbers.Grams["lb"]:
		return "lb"
	case numbers.Grams["t"]:
		return "t"
	}
	return "kg"
}
