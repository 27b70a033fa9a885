package packinglist

import (
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/lines"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/reference"
)

// titles finds the produce that the texts above a list name: "AVOCADO HASS PACKING LIST".
type titles struct {
	commodity *reference.Commodity
	produce   lines.Text
	several   bool
}

// row reads a row above a list, without the values beside labels: "Port: | Limón".
func (n *titles) row(t layout.Table, i int) {
	labelled := false
	for _, col := range layout.Filled(t.Rows[i]) {
		value := labelled
		if labelled = strings.HasSuffix(t.Rows[i].Cells[col].Text, ":"); value {
			continue
		}
		var words []string
		for _, word := range strings.FieldsFunc(t.Rows[i].Cells[col].Text,
			func(r rune) bool { return strings.ContainsRune(" ,;:/()-–", r) }) {
			c := reference.CommodityOf(word)
			if c == nil || vocabulary.MeaningOf(word).Field != vocabulary.None { // "Date: 12.11.2026"
				continue
			}
			n.several = n.several || n.commodity != nil && c != n.commodity
			n.commodity = c
			words = append(words, word)
		}
		if text := strings.Join(words, " "); len(text) > len(n.produce.Value) {
			n.produce = lines.Text{Value: text, Place: t.At(i, col)}
		}
	}
}

// one returns the produce, if it is one.
func (n *titles) one() lines.Text {
	if n.several {
		return lines.Text{}
	}
	return n.produce
}
