package packinglist

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestLabelsOfSeveralPallets(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1-2": "1 2", "5-5": "5", "5-4": "5-4", "P001 - P003": "P001 P002 P003", "P1-3": "P1 P2 P3", "P1-Q4": "P1-Q4", "3 to 5": "3 4 5", "1": "1", "1-2-3": "1-2-3",
		"P007..P009": "P007 P008 P009", "3 THRU 4": "3 4", "KE-1 to KE-2": "KE-1 KE-2", "1 à 2": "1 2", "3 et 4": "3 4", "6 y 7": "6 7", "7+8": "7 8", "1, 2, 3": "1 2 3", "P1 & 3": "P1 P3", "1-2, 5": "1 2 5",
		"5/6": "5 6", "5,6": "5 6", "1/20": "1/20", "5/6/2026": "5/6/2026", "1,234": "1,234", "A-5": "A-5", "5A": "5A", "5.": "5.", "5 (half)": "5 (half)", "2026-11": "2026-11", "006141411234567890": "006141411234567890",
		"5 & 6A": "", "1 to 4 (half)": "", "A1 & B2": "", "4 to 1": "", fmt.Sprint("1 to ", shipments.MaxPallets+1): "",
	} {
		s, ok := spanOf(text)
		if got := strings.Join(slices.Collect(s.labels()), " "); ok != (want != "") || ok && got != want {
			t.Errorf("%s: %s, %t, want %s", text, got, ok, want)
		}
	}
	if s, _ := spanOf(fmt.Sprint("1-", shipments.MaxPallets)); s.pallets() != shipments.MaxPallets {
		t.Errorf("%d pallets", s.pallets())
	}
}

// Labels of many pallets, which may be names ("1-4000", "1-4001", …), cost no more than others.
func TestLabelsOfManyPalletsAreNotSpelledOut(t *testing.T) {
	for _, text := range []string{"1-2", "1-9999"} {
		if n := testing.AllocsPerRun(10, func() { _, _ = spanOf(text) }); n > 50 {
			t.Errorf("%s: %v allocations", text, n)
		}
	}
	lines := []string{"Pallet No,Produce,Size,Boxes per pallet,Net kg/carton"}
	for range 2_000 {
		lines = append(lines, "1-9999,Avocado,16,80,4")
	}
	_, err := Read(t.Context(), CSV, strings.NewReader(strings.Join(lines, "\n")), int64(len(strings.Join(lines, "\n"))))
	if unreadable, ok := errors.AsType[*Unreadable](err); !ok || unreadable.Code != TooManyPallets {
		t.Errorf("%v", err)
	}
}

// A label of another kind does not change how the labels of several pallets are read.
func TestSeveralPalletsBesideOtherLabels(t *testing.T) {
	t.Parallel()
	for labels, want := range map[string]string{
		"1-2;MIX": "1 2 MIX", "1-2;5A": "1 2 5A", "1-2;A-5": "1 2 A-5", "1-2;2026-11": "1 2 2026-11", "1-2;5 & 6": "1 2 5 6", "1-2;5 (half)": "1 2 5 (half)", "1-2;7-8": "1 2 7 8",
		"1-1;1-2;2-1": "1-1 1-2 2-1", "1-2;3-3": "1 2 3", "01-11;02-11": "01-11 02-11", "1/3;2/3;3/3": "1/3 2/3 3/3",
		"1-3;2": PalletRange, "1-3;2-4": PalletRange, "1-4;5-8;1-2": PalletRange, "1 & 2;2 & 3": PalletRange, "1;2 & 3 mix": PalletRange, "1;2 & P3": PalletRange,
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
