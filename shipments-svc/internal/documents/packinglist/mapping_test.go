package packinglist

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestMappingsNameEachColumn with its field and unit, or why it was not used.
func TestMappingsNameEachColumn(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxRemarkText+1)
	list := listOf(t, "Pallet,Product,Boxes,Boxes ordered,Net lbs,Remarks,"+long, "1,Kiwi,100,120,1800,,a", "2,Kiwi,100,120,1800,dry,b")
	want := []shipments.MappedColumn{
		{Column: "A", Heading: "Pallet", Field: "pallet_number", Used: true},
		{Column: "B", Heading: "Product", Field: "produce_name", Used: true},
		{Column: "C", Heading: "Boxes", Field: "boxes", Used: true},
		{Column: "D", Heading: "Boxes ordered", Reason: `it is an ordered or planned quantity, and boxes is taken from "Boxes"`},
		{Column: "E", Heading: "Net lbs", Field: "net_weight", Unit: "lb", Used: true},
		{Column: "F", Heading: "Remarks", Reason: "its heading is not known"},
		{Column: "G", Heading: long[:maxRemarkText], Reason: "its heading is not known"},
	}
	if diff := cmp.Diff(want, list.Mappings[0].Columns); diff != "" {
		t.Error(diff)
	}
}

func TestCountsAgreeWithTheirNouns(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{1: "1 line", 2: "2 lines", 10: "10 lines"} {
		if got := counted(n, "line", "lines"); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
