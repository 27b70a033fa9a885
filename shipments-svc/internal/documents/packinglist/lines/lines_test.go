package lines

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/layout"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/mapping"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

// read reads a text whose cells are separated by bars, and returns its lines, totals and other rows.
func read(t *testing.T, text string) string {
	t.Helper()
	parts, err := layout.Of(tables.Book{Tables: []tables.Table{tablestest.Sheet(text)}})
	if err != nil {
		t.Fatal(err)
	}
	list := Read(parts[:1], mapping.Of(parts[:1], nil)[0])
	var all []string
	for _, l := range list.Lines {
		all = append(all, fmt.Sprintf("%s %s %s %v", l.Pallet.Value, l.Produce.Value, l.Calibre.Value, l.Boxes.Value))
	}
	for _, total := range list.Totals {
		all = append(all, fmt.Sprintf("total %d part %t", total.Boxes, total.Part))
	}
	for _, s := range list.Skipped[0] {
		all = append(all, fmt.Sprintf("row %d %s", s.Where.Row, s.Note))
	}
	return strings.Join(all, "; ")
}

func TestRowsAreLinesTotalsOrNotes(t *testing.T) {
	t.Parallel()
	const heading = "Pallet|Variety|Size|Boxes\nP1|Hass|16|264\n"
	const first, second = "P1 Hass 16 264; ", "P1 Hass 16 264; P2 Hass 16 264; "
	for rows, want := range map[string]string{
		"P2|Fuerte|18|260":                          first + "P2 Fuerte 18 260",
		"|Fuerte|18|60":                             first + "P1 Fuerte 18 60",
		"P2|\"|\"|260":                              first + "P2 Hass 16 260",
		"P2|idem|18|260":                            first + "P2 Hass 18 260",
		"P2|Hass|16|264\nTotal|||528":               second + "total 528 part false; row 4 it is a total row",
		"P2|Hass|16|264\n|||528":                    second + "total 528 part false; row 4 it is a total row",
		"P2|Hass|16|264\nSubtotal|||528":            second + "total 528 part true; row 4 it is a total row",
		"Seal no. 77|||\nP2|Hass|16|264":            second + "row 3 it is a section row",
		"Packed with care|||\nP2|Hass|16|264":       second + "row 3 it is not a line of a pallet",
		"Pallet|Variety|Size|Boxes\nP2|Hass|16|264": second + "row 3 the header row is repeated",
		"P2|Hass|16|264\nOTHER|Hass|16|4":           second + "row 4 its label has no number, unlike those above",
	} {
		if got := read(t, heading+rows); got != want {
			t.Errorf("%q:\n got %s\nwant %s", rows, got, want)
		}
	}
}
