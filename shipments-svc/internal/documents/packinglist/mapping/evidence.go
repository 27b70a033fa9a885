package mapping

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

//go:embed evidence.txt
var evidenceText string

// evidence is a rule by which the values of a column change its field.
type evidence struct {
	rule       string
	field      vocabulary.Field
	score      string
	of         vocabulary.Field // of its heading
	beside     []string         // the fields of which no other column may be
	conditions []string
	reason     string // why it is not the field of its heading
}

var rules = func() (all []evidence) {
	for c := range vocabulary.Rows(evidenceText) {
		all = append(all, evidence{
			c[0], vocabulary.Field(c[1]), c[2], vocabulary.Field(c[3]), strings.Fields(c[4]), strings.Fields(c[5]), c[6],
		})
	}
	return all
}()

// condition reports whether the values of a column are of a kind.
type condition func(m *Mapping, rows []tables.Row, col int) bool

// conditions are what the values of a column may be, by the names of evidence.txt.
var conditions = map[string]condition{
	"several":   of(func(c *Column) bool { return c.values.distinct > 1 }),
	"repeated":  of(func(c *Column) bool { return c.values.distinct*2 <= c.values.filled+4 }),
	"counting":  of(func(c *Column) bool { return c.values.counts && c.values.filled > 1 }),
	"unclear":   of(func(c *Column) bool { return c.Score < 0.95 || c.Meaning.Concepts&vocabulary.One != 0 }),
	"headed":    of(func(c *Column) bool { return c.Text != "" }),
	"kilograms": of(func(c *Column) bool { return layout.Unit(c.Text) > 1 }),
	"before-boxes": func(m *Mapping, _ []tables.Row, col int) bool {
		return m.Has(vocabulary.Boxes) && col < m.At(vocabulary.Boxes)
	},
	"priceless": func(m *Mapping, _ []tables.Row, _ int) bool { // invoices list articles
		return !slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Meaning.Rule == "price" })
	},
	"consecutive": func(_ *Mapping, rows []tables.Row, col int) bool { return layout.Enumerates(rows, col) },
	"labels":      func(_ *Mapping, rows []tables.Row, col int) bool { return labels(rows, col) },
	"of-pallet":   (*Mapping).ofPallet,
}

// of returns a condition of a column alone.
func of(is func(*Column) bool) condition {
	return func(m *Mapping, _ []tables.Row, col int) bool { return is(&m.Columns[col]) }
}

// weigh changes the fields of columns whose values say more than their headings.
func (m *Mapping) weigh(rows []tables.Row) {
	m.assign()
	for _, e := range rules {
		for col := range m.Columns {
			c := &m.Columns[col]
			if !e.applies(m, rows, col) {
				continue
			}
			score := c.Score
			if n, err := strconv.ParseFloat(e.score, 64); err == nil && n < 0 {
				score += n
			} else if err == nil {
				score = n
			}
			if e.reason != "" && c.Meaning.Reason == "" {
				c.Meaning.Resembles, c.Meaning.Reason = c.Field, e.reason
			}
			c.take(e.field, score, e.rule)
			m.assign()
		}
	}
}

// applies reports whether a rule applies to a column.
func (e evidence) applies(m *Mapping, rows []tables.Row, col int) bool {
	c := &m.Columns[col]
	f := c.Field
	if c.Meaning.Rule == "type" && f == vocabulary.Other {
		f = "type"
	}
	if f != e.of && e.of != "*" || c.Virtual || c.values.filled == 0 {
		return false
	}
	for _, name := range e.beside {
		if f := vocabulary.Field(name); m.Has(f) || m.given[f] {
			return false
		}
	}
	for _, name := range e.conditions {
		share, kind, counted := strings.Cut(name, "%")
		if percent, _ := strconv.Atoi(share); counted && c.values.kinds[kind]*100 < percent*c.values.filled ||
			!counted && !conditions[name](m, rows, col) {
			return false
		}
	}
	return true
}

// labels reports whether the values of a column are labels rather than counts: unique, or
// the same on few lines below each other.
func labels(rows []tables.Row, col int) bool {
	seen, ranges, last, all := map[string]bool{}, false, "", 0
	for _, row := range rows {
		if col >= len(row.Cells) || row.Cells[col].Text == "" || !layout.IsFull(row) || layout.IsTotal(row) {
			continue
		}
		text := row.Cells[col].Text
		ranges = ranges || numbers.SpanOf(text).Pallets() > 1
		v, ok := layout.Number(row, col)
		count := ok && v < shipments.MaxPallets/100 && !strings.HasPrefix(text, "0") && !ranges
		if count || seen[text] && text != last || !strings.ContainsAny(text, "0123456789") {
			return false
		}
		seen[text] = true
		last, all = text, all+1
	}
	return len(seen) > 1 && len(seen)*2 > all
}

// ofPallet reports whether the values of a column are unique, and pallets have several on
// lines below each other, as boxes are.
func (m *Mapping) ofPallet(rows []tables.Row, col int) bool {
	pallet := m.At(m.First(vocabulary.PalletNumber, vocabulary.SSCC))
	if pallet < 0 || pallet == col {
		v := m.Columns[col].values
		return m.given[vocabulary.PalletNumber] && v.distinct == v.filled
	}
	boxes, lines, pallets := map[string]bool{}, 0, 0
	unique := m.eachLine(rows, pallet, func(row tables.Row, begins bool) bool {
		if begins {
			pallets++
			clear(boxes) // they may be numbered within their pallet
		}
		if col >= len(row.Cells) || row.Cells[col].Text == "" {
			return true
		}
		text := row.Cells[col].Text
		known := boxes[text]
		boxes[text] = true
		lines++
		return !known
	})
	return unique && lines >= 2*max(1, pallets)
}

// boxRows reports whether pallets have so many rows, each with a weight of one box, that
// each row must be a box.
func (m *Mapping) boxRows(rows []tables.Row) bool {
	const many = 8
	label, weight := m.At(m.First(vocabulary.SSCC, vocabulary.PalletNumber)), m.At(m.First(Weights...))
	lines, pallets := 0, 0
	light := label >= 0 && weight >= 0 && m.eachLine(rows, label, func(row tables.Row, begins bool) bool {
		if begins {
			pallets++
		}
		kg, _ := layout.Number(row, weight)
		lines++
		return kg*1000 <= float64(reference.UsualBox)
	})
	return light && lines > many*max(1, pallets)
}

// eachLine calls a function with each row and whether it begins a pallet, while it returns
// true.
func (m *Mapping) eachLine(rows []tables.Row, label int, f func(row tables.Row, begins bool) bool) bool {
	last := ""
	for _, row := range rows {
		if layout.IsTotal(row) || !layout.IsFull(row) {
			continue
		}
		begins := label < len(row.Cells) && row.Cells[label].Text != "" && row.Cells[label].Text != last
		if begins {
			last = row.Cells[label].Text
		}
		if !f(row, begins) {
			return false
		}
	}
	return true
}
