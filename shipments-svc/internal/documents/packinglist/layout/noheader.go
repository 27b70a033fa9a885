package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// NoHeader returns the error of a document without a header row. It names the row
// that is nearest to one, and how its headings were understood.
func NoHeader(book tables.Book) error {
	var best []vocabulary.Meaning
	var texts []string
	place, most := tables.Place{}, 1
	for _, t := range book.Tables {
		for i := range min(len(t.Rows), maxHeaderRow) {
			var means []vocabulary.Meaning
			var own []string
			n := 0
			for _, c := range t.Rows[i].Cells {
				m := vocabulary.MeaningOf(c.Text)
				if means, own = append(means, m), append(own, c.Text); m.Field != vocabulary.None {
					n++
				}
			}
			if n > most && numbersIn(t.Rows[i]) == 0 {
				best, texts, most, place = means, own, n, tables.Place{Sheet: t.Name, Row: t.Rows[i].Number}
			}
		}
	}
	detail := "no header row has a pallet number and a number of boxes or a weight"
	var understood, other []string
	for col, m := range best {
		switch {
		case texts[col] == "":
		case m.Reason != "":
			other = append(other, fmt.Sprintf("%q (%s)", texts[col], m.Reason))
		case m.Field != vocabulary.None && m.Field != vocabulary.Other:
			understood = append(understood, fmt.Sprintf("%q (%s)", texts[col], m.Field))
		default:
			other = append(other, fmt.Sprintf("%q", texts[col]))
		}
	}
	if understood != nil {
		detail += "; found: " + strings.Join(understood, ", ")
	}
	if other != nil && slices.ContainsFunc(texts, func(h string) bool { return h != "" }) {
		detail += "; not used: " + strings.Join(other, ", ")
	}
	detail, _ = remarks.Shortened(detail, 4*remarks.MaxText)
	return &tables.Unreadable{Code: "no_header_row", Detail: detail, Place: place}
}
