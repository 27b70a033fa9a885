package layout

import (
	"cmp"
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
	most, found := 1, ""
	for _, t := range book.Tables {
		for _, row := range t.Rows[:min(len(t.Rows), maxHeaderRow)] {
			n, headings := 0, []string(nil)
			for _, col := range Filled(row) {
				m := vocabulary.MeaningOf(row.Cells[col].Text)
				if m.Field != vocabulary.None {
					n++
				}
				meaning := cmp.Or(m.Reason, m.Field.Name(), "not known")
				headings = append(headings, fmt.Sprintf("%q (%s)", row.Cells[col].Text, meaning))
			}
			if n > most && numbersIn(row) == 0 {
				most, bad.Place = n, tables.Place{Sheet: t.Name, Row: row.Number}
				found = "; found: " + strings.Join(headings, ", ")
			}
		}
	}
	bad.Detail, _ = remarks.Shortened(bad.Detail+found, 4*remarks.MaxText)
	return bad
}
