package packinglist

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// listOf reads a packing list of comma-separated values.
func listOf(t *testing.T, lines ...string) shipments.Reading {
	t.Helper()
	content := strings.Join(lines, "\n")
	list, err := readAs(t.Context(), CSV, content)
	if err != nil {
		t.Fatalf("%s: %v", content, err)
	}
	return list
}

// remarked returns the rows of the remarks with a code.
func remarked(list shipments.Reading, code string) (rows []int) {
	for _, r := range list.Remarks {
		if r.Code == code {
			rows = append(rows, r.Row)
		}
	}
	return rows
}

func TestImplausibleBoxWeightsAreRemarkedAtTheFirst(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Cartons,Net kg/carton"
	for lines, want := range map[string][]int{
		"P1,Avocado,80,0.1\nP2,Avocado,80,30": nil, "P1,Avocado,80,0.099\nP2,Avocado,80,4": {2},
		"P1,Avocado,80,4\nP2,Avocado,80,30.1\nP3,Avocado,80,31": {3},
	} {
		if got := remarked(listOf(t, heading, lines), "weight_implausible"); !slices.Equal(got, want) {
			t.Errorf("%s: remarks at %v, want %v", lines, got, want)
		}
	}
}

func TestTableBesideAnotherMayBeLonger(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"the left one":  {"P1,80,800,P3,82,820", "P2,81,810"},
		"the right one": {"P1,80,800,P2,81,810", ",,,P3,82,820"},
	} {
		list := listOf(t, append([]string{"Pallet No,Cartons,Net kg,Pallet No,Cartons,Net kg"}, lines...)...)
		boxes := map[string]int{}
		for _, p := range list.Pallets {
			boxes[p.Number] = p.Boxes
		}
		if len(list.Pallets) != 3 || boxes["P1"] != 80 || boxes["P2"] != 81 || boxes["P3"] != 82 {
			t.Errorf("%s is longer: %v", name, boxes)
		}
	}
}

func TestRowsMayBeLongerAndShorterThanTheHeader(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		lines []string
		want  []string
	}{
		{
			[]string{"Pallet No,Produce,Cartons,Net kg/carton", "P1,Avocado,80,4,x", "P2,Avocado,80,4,7"},
			[]string{"P1", "P2"},
		},
		{[]string{"Cartons,Net kg,Pallets", "80,800,100", "81,810", "82,820,103"}, []string{"100", "103"}},
		{[]string{"Cartons,Net kg,Pallets", "80,800,001", "82,820,002"}, []string{"001", "002"}},
	} {
		var got []string
		for _, p := range listOf(t, tt.lines...).Pallets {
			got = append(got, p.Number)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%v: %v, want %v", tt.lines, got, tt.want)
		}
	}
}

// TestDateCellsAreDates in ISO 8601 whatever they show, and a remark where a label was meant.
func TestDateCellsAreDates(t *testing.T) {
	t.Parallel()
	day := time.Date(2026, 11, 4, 0, 0, 0, 0, time.UTC)
	w := newWorkbook(t, []any{"Pallet No", "Produce", "Cartons", "Net kg/carton", "Harvest date"},
		[]any{"P1", "Avocado", 80, 4, day}, []any{day, "Avocado", 80, 4, day})
	dates, err := w.f.NewStyle(&excelize.Style{NumFmt: 14})
	w.check(err)
	w.check(w.f.SetCellStyle("Sheet1", "E2", "E3", dates))
	w.check(w.f.SetCellStyle("Sheet1", "A3", "A3", dates))
	list, err := readAs(t.Context(), XLSX, w.bytes())
	if err != nil || len(list.Pallets) != 2 || list.Pallets[0].HarvestedOn != "2026-11-04" {
		t.Errorf("%+v: %v", list.Pallets, err)
	}
	if got := remarked(list, "date_in_pallet"); !slices.Equal(got, []int{3}) {
		t.Errorf("remarks on pallets at %v", got)
	}
}
