package facts

import (
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables/tablestest"
)

func TestRowsHaveFacts(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Vessel: MSC Carmen":               "vessel=MSC Carmen",
		"Vessel / Voyage|MSC Carmen / 12W": "vessel=MSC Carmen voyage=12W",
		"Container no.|CSQU3054383":        "container_number=CSQU3054383",
		"in CSQU3054383 since noon":        "container_number=CSQU3054383",
		"B/L No.|MEDU4471123":              "bl_number=MEDU4471123",
		"16 pallets":                       "pallets=16",
		"Total boxes|1,056":                "boxes=1,056",
		"260 cartons on 4 pallets":         "boxes=260 pallets=4",
		"Seal no.: ML-9144 Vessel: Anna":   "seal_number=ML-9144 vessel=Anna",
		"A note of 16 words":               "",
	} {
		var l List
		l.Row(tablestest.Sheet(text), 0)
		var got []string
		for _, f := range l.All {
			got = append(got, fmt.Sprintf("%s=%s", f.Kind, f.Text))
		}
		if got := strings.Join(got, " "); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}

// A number below a label is what the label says, whatever it looks like.
func TestANumberBelowALabelIsNoContainer(t *testing.T) {
	t.Parallel()
	found, _, err := Document(t.Context(), []tables.Table{sheet("B/L No;Container\nMEDU4471123;CSQU3054383")})
	if err != nil || len(found) != 2 || found[0].Kind != list.BillOfLadingFact || found[1].Text != "CSQU3054383" {
		t.Errorf("%+v %v", found, err)
	}
}
