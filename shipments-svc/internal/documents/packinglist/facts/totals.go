package facts

import (
	"context"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/numbers"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// rank is how surely a number is the total of a document.
type rank int

const (
	part  rank = iota // a subtotal
	alone             // "168 cartons"
	lines             // of the only line of a table
	named             // "Packages: 296"
	total             // "Total cartons: 296", or in a row of totals
	grand             // "Grand total"
)

// rankOf returns the rank of a number with a label.
func rankOf(label string, other rank) rank {
	switch text := vocabulary.Fold(label); {
	case !vocabulary.IsTotal(text):
		return other
	case vocabulary.PartText.MatchString(text):
		return part
	case vocabulary.GrandText.MatchString(text):
		return grand
	}
	return total
}

// rankIn returns the rank of a number without a label of its own in a row.
func rankIn(row tables.Row, other rank) rank {
	return rankOf(row.Cells[layout.Filled(row)[0]].Text, other)
}

// stated is a number that may be a total. One without a text contradicts all of its rank.
type stated struct {
	list.Fact
	rank rank
}

// Document reads the facts of a document that is not a packing list. Of its pallets, boxes and weights it states at
// most one total each; where several numbers may be it, a remark says so.
func Document(ctx context.Context, all []tables.Table) (facts []list.Fact, doubts []list.Remark, err error) {
	l := List{stated: []stated{}}
	for _, t := range all {
		if before := l.stated; t.Continues && slices.ContainsFunc(t.Rows, isLine) {
			for _, s := range before {
				l.contradict(s.Kind, lines, s.Place)
			}
		}
		for i := range t.Rows {
			if err := ctx.Err(); err != nil {
				return nil, nil, err
			}
			l.Row(t, i)
		}
	}
	r := remarks.List{Stage: "facts"}
	for _, kind := range counts {
		l.decide(kind, &r)
	}
	return l.All, r.All, nil
}

// isLine reports whether a row may be a line of a table.
func isLine(row tables.Row) bool {
	quantity := func(c tables.Cell) bool { return layout.IsQuantity(c.Text) }
	return layout.IsFull(row) && slices.ContainsFunc(row.Cells, quantity)
}

// decide adds the total of a kind: what the numbers of the highest rank agree on.
func (l *List) decide(kind list.FactKind, r *remarks.List) {
	var best []stated
	for _, s := range l.stated {
		if s.Kind != kind || s.rank == part || best != nil && s.rank < best[0].rank {
			continue
		}
		if best != nil && s.rank > best[0].rank {
			best = nil
		}
		best = append(best, s)
	}
	if best == nil {
		return
	}
	first := best[0]
	differs := func(s stated) bool {
		again := s.rank <= lines && s.Place != first.Place // perhaps another line
		return s.Text == "" || totalOf(s.Text) != totalOf(first.Text) || again
	}
	if !slices.ContainsFunc(best, differs) {
		l.Add(first.Fact)
		return
	}
	var texts []string
	for _, s := range best {
		if s.Text != "" && !slices.Contains(texts, s.Text) {
			texts = append(texts, s.Text)
		}
	}
	r.Add("total_unclear", first.Place, strings.ReplaceAll(string(kind), "_", " "), strings.Join(texts, ", "))
}

func (l *List) contradict(kind list.FactKind, r rank, at tables.Place) {
	l.stated = append(l.stated, stated{list.Fact{Kind: kind, Place: at}, r})
}

// column reads the total among the numbers below a heading: that of a row of totals, or the number of the only line.
func (l *List) column(kind list.FactKind, t tables.Table, i, col int) {
	var only list.Fact
	below, totals, ended := 0, false, false
	for n := i + 1; n < len(t.Rows); n++ {
		row, text := t.Rows[n], amount(t.Rows[n], col)
		at := tables.Place{Sheet: t.Name, Row: row.Number, Column: col + 1}
		ended = ended || row.Number-t.Rows[n-1].Number > 1
		switch counted := countOf(kind, text); {
		case layout.IsTotal(row):
			if counted {
				l.addFact(kind, text, at, rankIn(row, total))
				totals = totals || rankIn(row, total) > part
			}
		case !counted && !layout.IsFull(row), totals && ended:
		case totals: // a table of several parts, each with a total
			l.contradict(kind, total, at)
		case !counted:
			below = 2 // at least: this line has no number
		default:
			below, only = below+1, list.Fact{Text: text, Place: at}
		}
	}
	ofBox := isWeight(kind) && totalOf(only.Text)*1000 <= reference.HeaviestBox
	if below == 1 && !ofBox {
		l.addFact(kind, only.Text, only.Place, lines)
	}
}

func isWeight(kind list.FactKind) bool {
	return kind == list.NetWeightFact || kind == list.GrossWeightFact
}

// amount returns the text of a cell, with the unit of weight in the next.
func amount(row tables.Row, col int) string {
	if col >= len(row.Cells) || row.Cells[col].Merged {
		return ""
	}
	text := row.Cells[col].Text
	if col+1 < len(row.Cells) && numbers.Grams[strings.ToLower(row.Cells[col+1].Text)] > 0 {
		text += " " + row.Cells[col+1].Text
	}
	return text
}

// countOf reports whether a text is a number of a kind. One with a unit of weight is not one of boxes or pallets.
func countOf(kind list.FactKind, text string) bool {
	n, ok := numbers.Split(text)
	of, unknown := vocabulary.Of(n.Unit)
	things := map[list.FactKind]vocabulary.Concept{
		list.BoxesFact: vocabulary.Box, list.PalletsFact: vocabulary.Pallet | vocabulary.Pallets,
	}[kind]
	switch {
	case !ok || numbers.Readings(text) == nil:
		return false
	case isWeight(kind):
		return n.Unit == "" || numbers.Grams[n.Unit] > 0
	}
	return n.Unit == "" || unknown == nil && of&things != 0 && of&^(things|vocabulary.One) == 0
}
