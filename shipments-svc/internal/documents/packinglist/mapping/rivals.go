package mapping

import (
	"maps"
	"slices"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
)

const (
	// maxRivals is the maximum number of columns that are tried for a field, maxProposals
	// that of mappings.
	maxRivals, maxProposals = 6, 24
	// sumOfOthers is how much likelier a column is that is the sum of its rivals.
	sumOfOthers = 0.5
	// unheaded is the score of a column for a field that its heading does not name.
	unheaded = 0.6
)

// contested are the fields that several columns may have.
var contested = []vocabulary.Field{
	vocabulary.Boxes, vocabulary.NetWeight, vocabulary.BoxWeight, vocabulary.GrossWeight, vocabulary.PalletNumber,
}

// rivals returns a mapping and those with another column for one of the contested
// fields, and with the net weight of a box and of the line under headings for the same.
func (m Mapping) rivals(all []layout.Table) []Mapping {
	proposals := []Mapping{m}
	for col, c := range m.Columns {
		if c.Field != vocabulary.None || c.values.filled == 0 || c.values.numeric < c.values.filled ||
			m.Cartons {
			continue
		}
		for _, f := range m.unheaded(all, col) {
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
		if f == vocabulary.Boxes && len(others) > 1 {
			for i, p := range proposals {
				col := p.at[f]
				parts := slices.DeleteFunc(append([]int{first}, others...), func(part int) bool { return part == col })
				if addsUp(all, parts, col) {
					proposals[i].Prior += sumOfOthers
				}
			}
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
func (m Mapping) unheaded(all []layout.Table, col int) (fields []vocabulary.Field) {
	v := m.Columns[col].values
	if v.whole == v.filled && v.distinct > 1 && !v.counts && m.First(Weights...) != vocabulary.None &&
		!m.given[vocabulary.Boxes] {
		fields = append(fields, vocabulary.Boxes)
	}
	if gross := m.At(vocabulary.GrossWeight); gross >= 0 && !m.Has(vocabulary.NetWeight) && !m.Has(vocabulary.BoxWeight) {
		if isPart(all, col, -1, gross) {
			fields = append(fields, vocabulary.NetWeight)
		}
		if boxes := m.At(vocabulary.Boxes); boxes >= 0 && isPart(all, col, boxes, gross) {
			fields = append(fields, vocabulary.BoxWeight)
		}
	}
	return fields
}

// isPart reports whether a column, times another if there is one, is somewhat less than a
// third in every row, as a net weight is than the gross weight.
func isPart(all []layout.Table, col, times, of int) bool {
	const least = 0.7
	rows := 0
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			part, ok := layout.Number(row, col)
			whole, also := layout.Number(row, of)
			if !ok || !also || whole == 0 {
				continue
			}
			if times >= 0 {
				n, _ := layout.Number(row, times)
				part *= n
			}
			if rows++; part >= whole || part < least*whole {
				return false
			}
		}
	}
	return rows > 1
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

// addsUp reports whether a column is the sum of others in every row with numbers.
func addsUp(all []layout.Table, parts []int, sum int) bool {
	rows := 0
	for _, t := range all {
		for _, row := range t.Rows[t.To:] {
			whole, ok := layout.Number(row, sum)
			for _, col := range parts {
				n, _ := layout.Number(row, col)
				whole -= n
			}
			if ok && whole != 0 {
				return false
			}
			if ok {
				rows++
			}
		}
	}
	return rows > 1
}
