package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// merger merges the lines of a document into pallets.
type merger struct {
	remarks.List
	groups  [][]Line
	index   map[string]int
	last    string  // the key of the line before
	fullest float64 // boxes of a pallet whose lines are consecutive
}

// Pallets returns the pallets of a document. A line that repeats another, or would
// overfill its pallet, begins a separate pallet, so that a check reports it.
func Pallets(all []*Settled) ([]shipments.Pallet, []shipments.Remark, error) {
	m := merger{List: remarks.List{Stage: "reconcile"}, index: map[string]int{}, fullest: fullest(all)}
	for _, s := range all {
		for _, l := range s.Lines {
			if m.add(l, s.key(l)); len(m.groups) > shipments.MaxPallets {
				return nil, nil, tooMany(l)
			}
		}
	}
	var pallets []shipments.Pallet
	reversed := func(l Line) bool { return l.Boxes.OK && l.Boxes.Value == 0 }
	for _, group := range m.groups {
		if group = slices.DeleteFunc(group, reversed); len(group) > 0 {
			pallets = append(pallets, m.pallet(group))
		}
	}
	return pallets, m.All, nil
}

func tooMany(l Line) error {
	detail := fmt.Sprintf("the list has more than %d pallets", shipments.MaxPallets)
	return &Error{Code: TooManyPallets, Detail: detail, Place: l.Place}
}

// add adds a line to its pallet, or begins a pallet. A line that does not follow the others
// must differ from them in its contents, and may not make the pallet fuller than the
// fullest.
func (m *merger) add(l Line, key string) {
	i, exists := m.index[key]
	if l.Boxes.OK && l.Boxes.Value < 0 {
		if exists && m.reverse(l, m.groups[i]) {
			return
		}
		m.Add("out_of_range/reversal", l.Place, l.Boxes.Value, l.Pallet)
		l.Boxes.OK = false
	}
	follows := m.last == key
	m.last = key
	if exists && l.Own && !l.Continued {
		alike := slices.ContainsFunc(m.groups[i], func(o Line) bool {
			return l.Row == o.Row || !follows && l.sameContents(o)
		})
		over := !follows && m.fullest > 0 && boxesOf(m.groups[i])+l.Boxes.Value > m.fullest
		switch {
		case alike || over || tables.Scientific(l.Pallet):
			m.Add("pallet_repeated", l.Place, l.Pallet)
			exists = false
		case !follows && m.fullest == 0: // there is no pallet to compare its boxes with
			m.Add("pallet_repeated/merged", l.Place, l.Pallet)
		}
	}
	if !exists {
		i = len(m.groups)
		m.index[key] = i
		m.groups = append(m.groups, nil)
	}
	m.groups[i] = append(m.groups[i], l)
}

// reverse takes the boxes of a line from another of its pallet. It returns false if none
// has as many.
func (m *merger) reverse(l Line, all []Line) bool {
	n := slices.IndexFunc(all, func(of Line) bool {
		return of.Boxes.OK && of.Boxes.Value+l.Boxes.Value >= 0 && (l.sameContents(of) || len(all) == 1)
	})
	if n < 0 {
		return false
	}
	of := &all[n]
	of.Boxes.Value += l.Boxes.Value
	of.Whole.Value += min(l.Whole.Value, -l.Whole.Value) // it may be written without its sign
	of.Gross.Value += min(l.Gross.Value, -l.Gross.Value)
	m.Add("line_reversed", l.Place, -l.Boxes.Value, l.Pallet)
	return true
}

// fullest returns the largest number of boxes of a pallet whose lines are
// consecutive, or 0.
func fullest(all []*Settled) (most float64) {
	boxes, back := map[string]float64{}, map[string]bool{}
	for _, s := range all {
		for _, g := range s.groups() {
			key := s.key(g[0])
			_, back[key] = boxes[key]
			boxes[key] += boxesOf(g)
		}
	}
	for key, n := range boxes {
		if !back[key] {
			most = max(most, n)
		}
	}
	return most
}

// bounded returns a text, shortened to the length of its field.
func (m *merger) bounded(text lines.Text, limit int, what string) string {
	short, cut := remarks.Shortened(text.Value, limit)
	if cut {
		m.Add("text_shortened", text.Place, what, limit)
	}
	return short
}

// Mixed is the calibre of a pallet with more calibres than its field can hold.
const Mixed = "mixed"

// joined returns the distinct texts of a field of the contents, and where the first is.
func (m *merger) joined(all []lines.Text, limit int, what string) (string, tables.Place) {
	var distinct []string
	var joined lines.Text
	for _, text := range all {
		if text.Value == "" || slices.Contains(distinct, text.Value) {
			continue
		}
		if distinct = append(distinct, text.Value); len(distinct) == 1 {
			joined.Place = text.Place
		}
	}
	joined.Value = strings.Join(distinct, " + ")
	if len(distinct) > 1 && len([]rune(joined.Value)) > limit {
		return Mixed, joined.Place
	}
	return m.bounded(joined, limit, what), joined.Place
}
