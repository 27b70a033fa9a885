package layout

import (
	"fmt"
	"strings"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/remarks"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/vocabulary"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

// NoHeader returns the error of a document without a header row. It names the row
// that is nearest to one, and how its headings were understood.
func NoHeader(book tables.Book) error {
	bad := &tables.Unreadable{
		Code: "no_header_row", Detail: "no header row has a pallet number and a number of boxes or a weight",
	}
	most := 1
	found := ""
	for _, t := range book.Tables {
		for _, row := range t.Rows[:min(len(t.Rows), maxHeaderRow)] {
			var understood, other []string
			n := 0
			for _, c := range row.Cells {
				m := vocabulary.MeaningOf(c.Text)
				if m.Field != vocabulary.None {
					n++
				}
				switch {
				case c.Text == "":
				case m.Reason != "":
					other = append(other, fmt.Sprintf("%q (%s)", c.Text, m.Reason))
				case m.Field != vocabulary.None && m.Field != vocabulary.Other:
					understood = append(understood, fmt.Sprintf("%q (%s)", c.Text, m.Field))
				default:
					other = append(other, fmt.Sprintf("%q", c.Text))
				}
			}
			if n <= most || numbersIn(row) > 0 {
				continue
			}
			most, bad.Place, found = n, tables.Place{Sheet: t.Name, Row: row.Number}, ""
			if understood != nil {
				found = "; found: " + strings.Join(understood, ", ")
			}
			if other != nil {
				found += "; not used: " + strings.Join(other, ", ")
			}
		}
	}
	bad.Detail, _ = remarks.Shortened(bad.Detail+found, 4*remarks.MaxText)
	return bad
}
