package mapping

import (
	"maps"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

const (
	// maxRivals is the maximum number of columns that are tried for a field, maxProposals
	// that of mappings.
	maxRivals, maxProposals = 6, 24
	// unheaded is the score of a column for a field that its heading does not name.
	unheaded = 0.6
)

// contested are the fields that several columns may have.
var contested = []vocabulary.Field{
	vocabulary.Boxes, vocabulary.NetWeight, vocabulary.BoxWeight, vocabulary.GrossWeight, vocabulary.PalletNumber,
}

// rivals returns a mapping and those with another column for one of the contested
// fields, and with the net weight of a box and of the line under headings for the same.
func (m Mapping) rivals() []Mapping {
	proposals := []Mapping{m}
	for col, c := range m.Columns {
		if c.Field != vocabulary.None || c.values.filled == 0 || c.values.numeric < c.values.filled ||
			m.Cartons {
			continue
		}
		for _, f := range m.unheaded(col) {
			p := m.instead(f, col)
			p.Columns[col].take(f, unheaded, "arithmetic")
			p.Prior = unheaded - 1
			proposals = append(proposals, p)
		}
	}
	for _, f := range contested {
		first, ok := m.at[f]
		if !ok || m.given[f] {
			continue
		}
		others := m.others(f, first)
		for _, col := range others {
			proposals = append(proposals, m.instead(f, col))
		}
		if f == vocabulary.NetWeight && !m.Has(vocabulary.BoxWeight) && m.Has(vocabulary.Boxes) {
			for _, box := range append(others, first) {
				for _, whole := range append(others, first) {
					if box != whole {
						p := m.instead(f, whole)
						p.Columns[box].take(vocabulary.BoxWeight, p.Columns[box].Score-0.05, "second-net-weight")
						p.at[vocabulary.BoxWeight] = box
						proposals = append(proposals, p)
					}
				}
			}
		}
	}
	return proposals[:min(len(proposals), maxProposals)]
}

// unheaded returns the fields that a column of numbers without a known heading may have:
// boxes, or the net weight beside the gross weight, of the line or of a box.
func (m Mapping) unheaded(col int) (fields []vocabulary.Field) {
	v := m.Columns[col].values
	if v.whole == v.filled && v.distinct > 1 && !v.counts && m.First(Weights...) != vocabulary.None &&
		!m.given[vocabulary.Boxes] {
		fields = append(fields, vocabulary.Boxes)
	}
	if m.Has(vocabulary.GrossWeight) && !m.Has(vocabulary.NetWeight) && !m.Has(vocabulary.BoxWeight) && !v.counts {
		fields = append(fields, vocabulary.NetWeight, vocabulary.BoxWeight)
	}
	return fields
}

// others returns the further columns with a field.
func (m Mapping) others(f vocabulary.Field, first int) (cols []int) {
	for col, c := range m.Columns {
		if c.Field == f && col != first && len(cols) < maxRivals && c.values.filled > 0 {
			cols = append(cols, col)
		}
	}
	return cols
}

// instead returns a mapping with another column for a field.
func (m Mapping) instead(f vocabulary.Field, col int) Mapping {
	p := m
	p.Columns, p.at, p.Chosen = slices.Clone(m.Columns), maps.Clone(m.at), slices.Clone(m.Chosen)
	if first, ok := m.at[f]; ok && first != col {
		p.Prior += m.Columns[col].Score - m.Columns[first].Score
		p.Chosen = append(p.Chosen, Choice{f, col, first})
	}
	p.at[f] = col
	return p
}
