package reconcile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// merger merges the lines of a document into pallets.
type merger struct {
	remarks.List
	groups [][]Line
	index  map[string]int
	last   string // the key of the line before
}

// Pallets returns the pallets of a document. A line that repeats another, or would
// overfill its pallet, begins a separate pallet, so that a check reports it.
func Pallets(all []*Settled) ([]shipments.Pallet, []shipments.Remark, error) {
	m := merger{List: remarks.List{Stage: "reconcile"}, index: map[string]int{}}
	most := fullest(all)
	for _, s := range all {
		for _, l := range s.Lines {
			key := s.key(l)
			if l.Boxes.OK && l.Boxes.Value < 0 && m.reverse(&l, key) {
				continue
			}
			m.add(l, key, most)
			if len(m.groups) > shipments.MaxPallets {
				detail := fmt.Sprintf("the list has more than %d pallets", shipments.MaxPallets)
				return nil, nil, &Error{Code: TooManyPallets, Detail: detail, Place: l.Place}
			}
		}
	}
	m.checkFullest()
	var pallets []shipments.Pallet
	for _, lines := range m.groups {
		if len(lines) > 0 {
			pallets = append(pallets, m.pallet(lines))
		}
	}
	return pallets, m.All, nil
}

// add adds a line to its pallet, or begins a pallet.
func (m *merger) add(l Line, key string, most float64) {
	i, exists := m.index[key]
	follows := m.last == key
	m.last = key
	switch {
	case !exists || !l.Own || l.Continued:
	case !samePallet(l, m.groups[i], follows, most) || tables.Scientific(l.Pallet):
		m.Add(remarks.PalletRepeated, l.Place, "pallet %s is listed again and was kept as a separate pallet", l.Pallet)
		exists = false
	case !follows && most == 0: // there is no pallet to compare its boxes with
		m.Add(
			remarks.PalletRepeated+"/merged",
			l.Place,
			"pallet %s is listed again and was read as another line of the pallet",
			l.Pallet,
		)
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
func (m *merger) reverse(l *Line, key string) bool {
	i, exists := m.index[key]
	if exists {
		for n, of := range m.groups[i] {
			if of.Boxes.OK && of.Boxes.Value+l.Boxes.Value >= 0 && (l.sameContents(of) || len(m.groups[i]) == 1) {
				of.Boxes.Value += l.Boxes.Value
				of.Whole.Value += signed(l.Whole.Value)
				of.Gross += signed(l.Gross)
				if m.groups[i][n] = of; of.Boxes.Value == 0 {
					m.groups[i] = slices.Delete(m.groups[i], n, n+1)
				}
				m.Add(
					remarks.LineReversed,
					l.Place,
					"%.0f boxes were taken from pallet %s, as the row says",
					-l.Boxes.Value,
					l.Pallet,
				)
				return true
			}
		}
	}
	m.Add(
		remarks.OutOfRange+"/reversal",
		l.Place,
		"the number of boxes is %.0f, and no line of pallet %s has as many",
		l.Boxes.Value,
		l.Pallet,
	)
	l.Boxes.OK = false
	return false
}

// signed returns the weight of a reversal, which may be written without its sign.
func signed(weight float64) float64 { return min(weight, -weight) }

// checkFullest remarks on a line without a pallet number that is added to a pallet as
// full as those with one line: it may be a total, or of no pallet.
func (m *merger) checkFullest() {
	full := 0.0
	for _, lines := range m.groups {
		if len(lines) == 1 {
			full = max(full, boxesOf(lines))
		}
	}
	for _, lines := range m.groups {
		if len(lines) == 0 {
			continue
		}
		before, last := boxesOf(lines[:len(lines)-1]), lines[len(lines)-1]
		if !last.Own && !last.Merged && full > 0 && before >= full && last.Boxes.OK {
			m.Add(
				remarks.LineIncomplete+"/full",
				last.Place,
				"the line has no pallet number and was added to pallet %s, which has as many boxes as others without it",
				last.Pallet,
			)
		}
	}
}

// fullest returns the largest number of boxes of a pallet whose lines are
// consecutive, or 0.
func fullest(all []*Settled) (most float64) {
	boxes, back := map[string]float64{}, map[string]bool{}
	last := ""
	for _, s := range all {
		for _, l := range s.Lines {
			key := s.key(l)
			if _, seen := boxes[key]; seen && last != key {
				back[key] = true
			}
			boxes[key] += l.Boxes.Value
			last = key
		}
	}
	for key, n := range boxes {
		if !back[key] {
			most = max(most, n)
		}
	}
	return most
}

// sameContents reports whether two lines have the same contents.
func (l Line) sameContents(other Line) bool {
	if l.Produce.Value != other.Produce.Value || l.Calibre.Value != other.Calibre.Value {
		return false
	}
	for i := range l.Also {
		if l.Also[i].Value != other.Also[i].Value {
			return false
		}
	}
	return true
}

// samePallet reports whether a line is another line of a pallet. A line that does
// not follow the others must differ from them in its contents, and may not make
// the pallet fuller than the fullest.
func samePallet(l Line, of []Line, follows bool, most float64) bool {
	boxes := l.Boxes.Value
	for _, other := range of {
		if l.Row == other.Row || !follows && l.sameContents(other) {
			return false
		}
		boxes += other.Boxes.Value
	}
	return follows || most == 0 || boxes <= most
}

// bounded returns a text, shortened to the length of its field.
func (m *merger) bounded(text string, at tables.Place, limit int, what string) string {
	text, cut := remarks.Shortened(text, limit)
	if cut {
		m.Add(remarks.TextShortened, at, "the %s was shortened to its first %d characters", what, limit)
	}
	return text
}

// distinct returns the distinct texts of lines, and where the first is.
func distinct(all []Line, of func(Line) (string, tables.Place)) (texts []string, first tables.Place) {
	for _, l := range all {
		text, at := of(l)
		if text == "" || slices.Contains(texts, text) {
			continue
		}
		if texts == nil {
			first = at
		}
		texts = append(texts, text)
	}
	return texts, first
}

// Mixed is the calibre of a pallet with more calibres than its field can hold.
const Mixed = "mixed"

// joined returns the distinct texts of a field of the lines, and where the first is.
func (m *merger) joined(
	all []Line,
	of func(Line) (string, tables.Place),
	limit int,
	what string,
) (string, shipments.Place) {
	texts, first := distinct(all, of)
	text := strings.Join(texts, " + ")
	if len(texts) > 1 && len([]rune(text)) > limit {
		return Mixed, remarks.Place(first)
	}
	return m.bounded(text, first, limit, what), remarks.Place(first)
}
