package mapping

import (
	"maps"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

const (
	// maxProposals is the maximum number of mappings that are tried.
	maxProposals = 24
	// unheaded is the score of a column for a field that its heading does not name.
	unheaded = 0.6
)

// contested are the fields that several columns may have.
var contested = []vocabulary.Field{
	vocabulary.Boxes, vocabulary.NetWeight, vocabulary.BoxWeight, vocabulary.GrossWeight, vocabulary.PalletNumber,
}

// rivals returns a mapping and those with another column for one of the contested fields:
// with a heading for it, or with numbers and no known heading.
func (m Mapping) rivals() []Mapping {
	proposals := []Mapping{m}
	for col, c := range m.Columns {
		switch {
		case c.values.filled == 0 || m.given[c.Field] || m.at[c.Field] == col && m.Has(c.Field):
		case slices.Contains(contested, c.Field):
			proposals = append(proposals, m.instead(c.Field, col))
		case c.Field == vocabulary.None && c.values.kinds["number"] == c.values.filled && !m.Cartons:
			for _, f := range m.unheaded(c.values) {
				p := m.instead(f, col)
				p.Columns[col].take(f, unheaded, "arithmetic")
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
	if v.kinds["whole"] == v.filled && v.distinct > 1 && !v.counts && m.First(Weights...) != vocabulary.None &&
		!m.given[vocabulary.Boxes] {
		fields = append(fields, vocabulary.Boxes)
	}
	if m.Has(vocabulary.GrossWeight) && !m.Has(vocabulary.NetWeight) && !m.Has(vocabulary.BoxWeight) && !v.counts {
		fields = append(fields, vocabulary.NetWeight, vocabulary.BoxWeight)
	}
	return fields
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
