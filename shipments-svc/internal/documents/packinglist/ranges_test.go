package packinglist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestRangesOfPalletsAreInOrderAndBounded(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"1-2": 2, "5-5": 1, "5-4": 0, "P001 - P004": 4, "P1-4": 4, "P1-Q4": 0, "3 to 5": 3, "1": 0, "1-2-3": 0,
		fmt.Sprint("1-", shipments.MaxPallets): shipments.MaxPallets, fmt.Sprint("1-", shipments.MaxPallets+1): 0,
	} {
		s, ok := rangeOf(text)
		if ok != (want > 0) || ok && s.pallets() != want {
			t.Errorf("%s: %+v, %t, want %d", text, s, ok, want)
		}
	}
}

// pallets formats the pallets of a list, or the code of its error.
func pallets(t *testing.T, lines ...string) string {
	t.Helper()
	content := strings.Join(lines, "\n")
	list, err := Read(t.Context(), CSV, strings.NewReader(content), int64(len(content)))
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
		"1-2,Avocado,100,15": PalletRange,
		"1-2,Avocado,102,15": "1 51 × 15000, 2 51 × 15000",
		"1-2,Avocado,200,15": "1 100 × 15000, 2 100 × 15000",
		"1-2,Avocado,202,15": PalletRange,
		"1-2,Avocado,101,15": PalletRange,
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
		"160": "1 40 × 4000, 2 40 × 4000, 3 80 × 4000", "240": "1 80 × 4000, 2 80 × 4000, 3 80 × 4000", "200": PalletRange,
	} {
		if got := pallets(t, heading, "1-2,Avocado,80,4", "3,Avocado,80,4", "Total,,"+total+","); got != want {
			t.Errorf("total %s: %s, want %s", total, got, want)
		}
	}
	list := listOf(t, heading, "1-2,Avocado,80,4", "3,Avocado,80,4", "Total,,160,")
	for _, m := range list.Remarks {
		if m.Code == PalletRanges && (m.Row != 2 || !strings.Contains(m.Text, "the boxes of all of them")) {
			t.Errorf("%+v", m)
		}
	}
	if rows := remarked(list, PalletRanges); !slices.Equal(rows, []int{2}) {
		t.Errorf("remarks at %v", rows)
	}
}
