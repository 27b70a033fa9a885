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

// rivals returns a mapping and those with another column for one of the contested fields,
// with a column of numbers whose heading is not known, and with the net weight of a box and
// of the line under headings for the same.
func (m Mapping) rivals() []Mapping {
	proposals := []Mapping{m}
	for col, c := range m.Columns {
		if c.Field == vocabulary.None && c.values.filled > 0 && c.values.kinds["number"] == c.values.filled && !m.Cartons {
			for _, f := range m.unheaded(c.values) {
				proposals = append(proposals, m.instead(f, col, unheaded, "arithmetic"))
			}
		}
	}
	for _, f := range contested {
		first, ok := m.at[f]
		if !ok || m.given[f] {
			continue
		}
		all := []int{first}
		for col, c := range m.Columns {
			if c.Field == f && col != first && len(all) <= maxRivals && c.values.filled > 0 {
				all = append(all, col)
				proposals = append(proposals, m.instead(f, col, c.Score, ""))
			}
		}
		if f != vocabulary.NetWeight || m.Has(vocabulary.BoxWeight) || !m.Has(vocabulary.Boxes) {
			continue
		}
		for _, box := range all {
			for _, whole := range all {
				if box != whole {
					p := m.instead(f, whole, m.Columns[whole].Score, "")
					p.Columns[box].take(vocabulary.BoxWeight, m.Columns[box].Score-0.05, "second-net-weight")
					p.at[vocabulary.BoxWeight] = box
					proposals = append(proposals, p)
				}
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

// instead returns a mapping with another column for a field, by a rule that its heading is
// not.
func (m Mapping) instead(f vocabulary.Field, col int, score float64, rule string) Mapping {
	p := m
	p.Columns, p.at, p.Chosen = slices.Clone(m.Columns), maps.Clone(m.at), slices.Clone(m.Chosen)
	if first, ok := m.at[f]; ok && first != col {
		p.Prior += m.Columns[col].Score - m.Columns[first].Score
		p.Chosen = append(p.Chosen, Choice{f, col, first})
	}
	if p.at[f] = col; rule != "" {
		p.Columns[col].take(f, score, rule)
		p.Prior = score - 1
	}
	return p
}
