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
	of         vocabulary.Field   // of its heading
	beside     []vocabulary.Field // of which no other column may be
	conditions []string
}

var rules = func() (all []evidence) {
	for c := range vocabulary.Rows(evidenceText) {
		e := evidence{rule: c[0], field: vocabulary.Field(c[1]), score: c[2], of: vocabulary.Field(c[3])}
		for f := range strings.FieldsSeq(c[4]) {
			e.beside = append(e.beside, vocabulary.Field(f))
		}
		e.conditions = strings.Fields(c[5])
		all = append(all, e)
	}
	return all
}()

// condition reports whether the values of a column are of a kind.
type condition func(m *Mapping, all []layout.Table, col int) bool

// conditions are what the values of a column may be, by the names of evidence.txt.
var conditions = map[string]condition{
	"sscc":        most(9, func(v values) int { return v.sscc }),
	"containers":  most(9, func(v values) int { return v.containers }),
	"sizes":       most(9, func(v values) int { return v.sizes * min(1, v.distinct-1) }),
	"words":       most(6, func(v values) int { return v.words }),
	"commodities": most(6, func(v values) int { return v.commodities }),
	"only-words":  most(10, func(v values) int { return v.words }),
	"one-text":    of(func(c *Column) bool { return c.values.filled > 1 && c.values.distinct+c.values.numeric == 1 }),
	"counting":    of(func(c *Column) bool { return c.values.counts && c.values.filled > 1 }),
	"short":       of(func(c *Column) bool { return c.values.short }),
	"mixed":       of(func(c *Column) bool { return c.values.words < c.values.filled }),
	"plain":       of(func(c *Column) bool { return c.Meaning.Unknown == nil }),
	"unclear":     of(func(c *Column) bool { return c.Score < 0.95 || c.Meaning.Concepts&vocabulary.One != 0 }),
	"headed":      of(func(c *Column) bool { return c.Text != "" }),
	"kilograms":   of(func(c *Column) bool { return layout.Unit(c.Text) > 1 }),
	"before-boxes": func(m *Mapping, _ []layout.Table, col int) bool {
		return m.Has(vocabulary.Boxes) && col < m.At(vocabulary.Boxes)
	},
	"priceless": func(m *Mapping, _ []layout.Table, _ int) bool { // invoices list articles
		return !slices.ContainsFunc(m.Columns, func(c Column) bool { return c.Meaning.Rule == "price" })
	},
	"consecutive": func(_ *Mapping, all []layout.Table, col int) bool { return layout.Enumerates(body(all), col) },
	"labels":      func(_ *Mapping, all []layout.Table, col int) bool { return labels(body(all), col) },
	"of-pallet":   (*Mapping).ofPallet,
}

// of returns a condition of a column alone.
func of(is func(*Column) bool) condition {
	return func(m *Mapping, _ []layout.Table, col int) bool { return is(&m.Columns[col]) }
}

// most returns the condition that tenths of the values are of a kind.
func most(tenths int, kind func(values) int) condition {
	return of(func(c *Column) bool { return kind(c.values)*10 >= c.values.filled*tenths })
}

// weigh changes the fields of columns whose values say more than their headings.
func (m *Mapping) weigh(all []layout.Table) {
	m.assign()
	for _, e := range rules {
		for col := range m.Columns {
			c := &m.Columns[col]
			f := c.Field
			if c.Meaning.Rule == "type" && c.Field == vocabulary.Other {
				f = "type"
			}
			if f != e.of || c.Virtual || c.values.filled == 0 ||
				slices.ContainsFunc(e.beside, func(f vocabulary.Field) bool {
					return m.Has(f) || f == vocabulary.PalletNumber && all[0].Gives(f)
				}) ||
				slices.ContainsFunc(e.conditions, func(name string) bool { return !conditions[name](m, all, col) }) {
				continue
			}
			score := c.Score
			if n, err := strconv.ParseFloat(e.score, 64); err == nil && (n < 0 || e.score[0] == '+') {
				score += n
			} else if err == nil {
				score = n
			}
			if e.field == vocabulary.Carton && c.Meaning.Reason == "" {
				c.Meaning.Resembles, c.Meaning.Reason = c.Field, "it is the number of a box"
			}
			c.take(e.field, score, e.rule)
			m.assign()
		}
	}
}

// body returns the rows below the headings.
func body(all []layout.Table) (rows []tables.Row) {
	if len(all) == 1 {
		return all[0].Rows[all[0].To:]
	}
	for _, t := range all {
		rows = append(rows, t.Rows[t.To:]...)
	}
	return rows
}

// labels reports whether the values of a column are labels rather than counts: unique, or
// the same on few lines below each other.
func labels(rows []tables.Row, col int) bool {
	seen, ranges, digits, last, all := map[string]bool{}, false, true, "", 0
	for _, row := range rows {
		if col >= len(row.Cells) || row.Cells[col].Text == "" || !layout.IsFull(row) || layout.IsTotal(row) {
			continue
		}
		text := row.Cells[col].Text
		ranges = ranges || numbers.SpanOf(text).Pallets() > 1
		if v, ok := layout.Number(row, col); seen[text] && text != last ||
			ok && v < shipments.MaxPallets/100 && !strings.HasPrefix(text, "0") && !ranges {
			return false
		}
		seen[text] = true
		digits = digits && strings.ContainsAny(text, "0123456789")
		last, all = text, all+1
	}
	return len(seen) > 1 && digits && len(seen)*2 > all
}

// ofPallet reports whether the values of a column are unique, and pallets have several on
// lines below each other, as boxes are.
func (m *Mapping) ofPallet(all []layout.Table, col int) bool {
	pallet := m.At(vocabulary.PalletNumber)
	if pallet < 0 {
		if pallet = m.At(vocabulary.SSCC); pallet < 0 || pallet == col {
			return all[0].Gives(vocabulary.PalletNumber) && m.Columns[col].values.distinct == m.Columns[col].values.filled
		}
	}
	const several = 2
	boxes, pallets, rows, last := map[string]bool{}, 0, 0, ""
	for _, row := range body(all) {
		if col >= len(row.Cells) || row.Cells[col].Text == "" || layout.IsTotal(row) {
			continue
		}
		if pallet < len(row.Cells) && row.Cells[pallet].Text != "" && row.Cells[pallet].Text != last {
			last = row.Cells[pallet].Text
			pallets++
			clear(boxes) // they may be numbered within their pallet
		}
		if boxes[row.Cells[col].Text] {
			return false
		}
		boxes[row.Cells[col].Text] = true
		rows++
	}
	return rows >= several*max(1, pallets)
}

// boxRows reports whether pallets have so many rows, each with a weight of one box, that
// each row must be a box.
func (m *Mapping) boxRows(all []layout.Table) bool {
	const many = 8
	label, weight := m.First(vocabulary.SSCC, vocabulary.PalletNumber), m.First(Weights...)
	if label == vocabulary.None || weight == vocabulary.None {
		return false
	}
	rows, pallets, last := 0, 0, ""
	for _, row := range body(all) {
		kg, ok := layout.Number(row, m.At(weight))
		if col := m.At(label); ok && col < len(row.Cells) && row.Cells[col].Text != "" && !layout.IsTotal(row) {
			if kg*1000 > float64(reference.UsualBox) {
				return false
			}
			if rows++; row.Cells[col].Text != last {
				pallets++
			}
			last = row.Cells[col].Text
		}
	}
	return rows > many*max(1, pallets)
}
