package packinglist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/reconcile"
)

// A label of another kind does not change how the labels of several pallets are read.
func TestSeveralPalletsBesideOtherLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[string]string{
		"1-2;MIX": "1 2 MIX", "1-2;5A": "1 2 5A", "1-2;A-5": "1 2 A-5", "1-2;2026-11": "1 2 2026-11",
		"1-2;5 & 6": "1 2 5 6", "1-2;5 (half)": "1 2 5 (half)", "1-2;7-8": "1 2 7 8",
		"1-1;1-2;2-1": "1-1 1-2 2-1", "1-2;3-3": "1 2 3", "01-11;02-11": "01-11 02-11", "1/3;2/3;3/3": "1/3 2/3 3/3",
		"1-3;2": reconcile.PalletRange, "1-3;2-4": reconcile.PalletRange, "1-4;5-8;1-2": reconcile.PalletRange,
		"1 & 2;2 & 3": reconcile.PalletRange, "1;2 & 3 mix": reconcile.PalletRange, "1;2 & P3": reconcile.PalletRange,
	} {
		lines := []string{"Pallet;Produce;Boxes per pallet;Net kg per box"}
		for label := range strings.SplitSeq(labels, ";") {
			lines = append(lines, label+";Apple;49;13")
		}
		got := pallets(t, lines...)
		if got = strings.ReplaceAll(strings.ReplaceAll(got, " 49 × 13000", ""), ",", ""); got != want {
			t.Errorf("%s: %s, want %s", labels, got, want)
		}
	}
}

// pallets formats the pallets of a list, or the code of its error.
func pallets(t *testing.T, lines ...string) string {
	t.Helper()
	content := strings.Join(lines, "\n")
	list, err := readAs(t.Context(), CSV, content)
	if unreadable, ok := errors.AsType[*Unreadable](err); ok {
		return unreadable.Code
	} else if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, p := range list.Pallets {
		all = append(all, fmt.Sprintf("%s %d × %d", p.Number, p.Boxes, p.BoxWeight))
	}
	return strings.Join(all, ", ")
}

// A pallet carries at most 1.5 t: the boxes of a heavier row are those of all its
// pallets, if each then carries no more.
func TestBoxesOfARangeAreSharedAboveTheSafeLoad(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"1-2,Avocado,100,15": reconcile.PalletRange,
		"1-2,Avocado,102,15": "1 51 × 15000, 2 51 × 15000",
		"1-2,Avocado,200,15": "1 100 × 15000, 2 100 × 15000",
		"1-2,Avocado,202,15": reconcile.PalletRange,
		"1-2,Avocado,101,15": reconcile.PalletRange,
	} {
		if got := pallets(t, "Pallet No,Produce,Cartons,Net kg/carton", line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}

func TestBoxesOfARangeAreDecidedByTheTotal(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Cartons,Net kg/carton"
	for total, want := range map[string]string{
		"160": "1 40 × 4000, 2 40 × 4000, 3 80 × 4000", "240": "1 80 × 4000, 2 80 × 4000, 3 80 × 4000",
		"200": reconcile.PalletRange,
	} {
		if got := pallets(t, heading, "1-2,Avocado,80,4", "3,Avocado,80,4", "Total,,"+total+","); got != want {
			t.Errorf("total %s: %s, want %s", total, got, want)
		}
	}
	list := listOf(t, heading, "1-2,Avocado,80,4", "3,Avocado,80,4", "Total,,160,")
	for _, m := range list.Remarks {
		if m.Code == "pallet_range_spread" && (m.Row != 2 || !strings.Contains(m.Text, "the boxes of all of them")) {
			t.Errorf("%+v", m)
		}
	}
	if rows := remarked(list, "pallet_range_spread"); !slices.Equal(rows, []int{2}) {
		t.Errorf("remarks at %v", rows)
	}
}
