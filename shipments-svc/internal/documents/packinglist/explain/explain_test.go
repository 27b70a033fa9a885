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

Table with headings in row 1: lines (score 9)
  A  Pallet is pallet number
     values: ZA-1 | ZA-2 | ZA-3
     pallet_number 0.00 → 0.95 by pallet: its heading
  B  Variety is variety
     values: Hass | Fuerte
     variety 0.00 → 1.00 by variety: its heading
     variety 1.00 → 0.95 by codes: its values: 100%short
  C  x is boxes
     values: 264 | 240
     boxes 0.00 → 0.60 by arithmetic: the numbers of the list agree
  D  y is not used: its heading is not known, and it has numbers
     values: 7 | 3 | 9
  E  Net kg is net weight in kg
     values: 1056 | 960
     net_weight 0.00 → 1.00 by net: its heading
  row 5 is left out: it is a total row

What the numbers say (score, for or against)
    arithmetic for boxes from row 1, column C +1.10: the numbers of the list agree; second row 1, column D with -0.90
  × arithmetic for boxes from row 1, column D -0.90: the numbers of the list agree; second row 1, column C with 1.10
  × weight_kind_assumed/of-box for net_weight from row 1 -0.27; second row 1 with 1.50
    uniform +0.50: 3 of 3
    total-boxes +1.00: 1 of 1
    total/boxes +0.00: the list declares 768 boxes, and its lines have 768

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
