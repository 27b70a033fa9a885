package explain

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
)

func explained(t *testing.T, content string) string {
	t.Helper()
	e, err := Of(packinglist.Read(t.Context(), strings.NewReader(content), packinglist.Options{
		Kind: tables.CSV, Size: int64(len(content)),
	}))
	var b strings.Builder
	if err == nil {
		err = e.Write(&b)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A column without a known heading has the boxes because the numbers of the list agree, and what came second says so.
func TestExplanationsSayWhyAColumnIsWhatItIs(t *testing.T) {
	t.Parallel()
	const want = `3 pallets with 768 boxes

Table with headings in row 1: lines (9 points)
  A  Pallet is pallet number
     values: ZA-1 | ZA-2 | ZA-3
     pallet number, certainty 0.95: its heading (rule pallet)
  B  Variety is variety
     values: Hass | Fuerte
     variety, certainty 1.00: its heading (rule variety)
     variety, certainty 0.95: its values (rule codes)
  C  x is boxes
     values: 264 | 240
     boxes, certainty 0.60: the numbers of the list agree (rule arithmetic)
  D  y is not used: its heading is not known, and it has numbers
     values: 7 | 3 | 9
  E  Net kg is net weight in kg
     values: 1056 | 960
     net weight, certainty 1.00: its heading (rule net)
     or weight, certainty 0.42: its heading, too (rule unit)
  row 5 is left out: it is a total row

What the numbers of the list say (points for this reading, or against it)
  boxes from row 1, column C: chosen, with +1.10 to -0.90
  boxes from row 1, column D: not chosen, with -0.90 to +1.10
  net weight from row 1 as the weight of one box: not chosen, with -0.27 to +1.50
  3 of 3 lines with the most frequent box weight: +0.50
  1 of 1 totals of boxes that agree: +1.00
  the list declares 768 boxes, and its lines have 768

Remarks
  row 1, column D: column D "y" was not used: its heading is not known, and it has numbers (column_unused)
`
	got := explained(t, "Pallet,Variety,x,y,Net kg\nZA-1,Hass,264,7,1056\nZA-2,Hass,240,3,960\nZA-3,Fuerte,264,9,1056\n"+
		"Total,,768,,\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestExplanationsOfRefusedListsHaveTheirColumns(t *testing.T) {
	t.Parallel()
	got := explained(t, "Pallet,Variety,Net kg\nZA-1,Hass,1056\nZA-2,Hass,960\n")
	if !strings.HasPrefix(got, "Refused: no_boxes") || !strings.Contains(got, "C  Net kg is net weight in kg") {
		t.Error(got)
	}
}
