package packinglist

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/reconcile"
)

func TestImpossibleBoxWeightHasNoPlace(t *testing.T) {
	t.Parallel()
	read := listOf(t, "Pallet No,Produce,Size,Cartons,Net kg", "P1,Avocado,16,1,", ",Avocado,18,1,900000",
		"P2,Avocado,16,80,320", "P3,Avocado,16,80,320")
	p := read.Pallets[0]
	if p.BoxWeight != 0 || p.Places.BoxWeight != (list.Place{}) ||
		!slices.Equal(remarked(read, "out_of_range"), []int{3}) {
		t.Errorf("%+v\n%+v", p, read.Remarks)
	}
}

// Another line of a pallet differs from the ones before.
func TestLinesOfAPalletAreMerged(t *testing.T) {
	t.Parallel()
	const heading = "Pallet No,Produce,Size,Cartons,Net kg/carton"
	for name, tt := range map[string]struct {
		lines    []string
		want     string
		repeated []int
	}{
		"below each other": {
			[]string{"P1,Avocado,16,40,4", "P1,Avocado,18,40,4", "P2,Avocado,16,80,4"},
			"P1 80 × 4000, P2 80 × 4000", nil,
		},
		"equal, and full": {
			[]string{"P1,Avocado,16,40,4", "P1,Avocado,16,40,4", "P2,Avocado,16,80,4"},
			"P1 80 × 4000, P2 80 × 4000",
			[]int{3},
		},
		"equal, and not full": {
			[]string{"P1,Avocado,16,30,4", "P1,Avocado,16,30,4", "P1,Avocado,18,10,4", "P2,Avocado,16,80,4"},
			"P1 70 × 4000, P2 80 × 4000",
			[]int{3},
		},
		"equal, and fuller than others": {
			[]string{"P1,Avocado,16,30,4", "P1,Avocado,18,30,4", "P1,Avocado,16,30,4", "P2,Avocado,16,80,4"},
			"P1 60 × 4000, P1 30 × 4000, P2 80 × 4000",
			[]int{4},
		},
		"equal, overfull": {
			[]string{"P1,Avocado,16,80,4", "P1,Avocado,16,80,4", "P2,Avocado,16,80,4"},
			"P1 80 × 4000, P1 80 × 4000, P2 80 × 4000",
			[]int{3},
		},
		"further down, and full": {
			[]string{"P1,Avocado,16,40,4", "P2,Avocado,16,80,4", "P1,Avocado,18,40,4"},
			"P1 80 × 4000, P2 80 × 4000", nil,
		},
		"further down, overfull": {
			[]string{"P1,Avocado,16,40,4", "P2,Avocado,16,80,4", "P1,Avocado,18,41,4"},
			"P1 40 × 4000, P2 80 × 4000, P1 41 × 4000",
			[]int{4},
		},
		"further down, alike": {
			[]string{"P1,Avocado,16,40,4", "P2,Avocado,16,80,4", "P1,Avocado,16,39,4"},
			"P1 40 × 4000, P2 80 × 4000, P1 39 × 4000",
			[]int{4},
		},
		"further down, after another's": {
			[]string{"P1,Avocado,16,40,4", "P2,Avocado,16,40,4", "P1,Avocado,18,40,4", "P2,Avocado,16,39,4"},
			"P1 80 × 4000, P2 40 × 4000, P2 39 × 4000",
			[]int{4, 5},
		},
		"repeated twice": {
			[]string{"P1,Avocado,16,40,4", "P1,Avocado,16,40,4", ",Avocado,18,1,4"},
			"P1 40 × 4000, P1 41 × 4000",
			[]int{3},
		},
	} {
		lines := append([]string{heading}, tt.lines...)
		if got := pallets(t, lines...); got != tt.want {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
		if rows := remarked(listOf(t, lines...), "pallet_repeated"); !slices.Equal(rows, tt.repeated) {
			t.Errorf("%s: remarks at %v, want %v", name, rows, tt.repeated)
		}
	}
}

func TestPalletsAreLimited(t *testing.T) {
	t.Parallel()
	read := func(n int) string {
		content := "Pallet No,Produce,Cartons,Net kg/carton\n"
		for i := range n {
			content += fmt.Sprintf("P%d,Avocado,80,4\n", i)
		}
		return content
	}
	content := read(list.MaxPallets + 1)
	_, err := readAs(t.Context(), CSV, content)
	if unreadable, ok := errors.AsType[*Unreadable](err); !ok || unreadable.Code != reconcile.TooManyPallets ||
		unreadable.Place.Row != list.MaxPallets+2 {
		t.Errorf("%v", err)
	}
	if got := listOf(t, read(list.MaxPallets)); len(got.Pallets) != list.MaxPallets {
		t.Errorf("%d pallets", len(got.Pallets))
	}
}

// Calibres that are too long together are mixed, at the place of the first.
func TestCalibresOfAPalletAreJoinedWithinTheirLength(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]string{
		"140000": "1000 + 1200 + 140000", "1400000": reconcile.Mixed,
		"1200": "1000 + 1200", "": "1000 + 1200",
	} {
		read := listOf(t, "Pallet No,Produce,Size,Cartons,Net kg/carton", "P1,Avocado,,10,4", ",Avocado,1000,20,4",
			",Avocado,1200,20,4", ",Avocado,"+last+",21,4", "P2,Avocado,16,80,4")
		if p := read.Pallets[0]; p.Calibre != want || p.Places.Calibre.Row != 3 {
			t.Errorf("%q: %q at %d, want %s", last, p.Calibre, p.Places.Calibre.Row, want)
		}
	}
}

// ending is a context that is cancelled after it was asked left times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left--; e.left < 0 {
		return context.Canceled
	}
	return nil
}

// Reading ends with its context at whichever row it is.
func TestReadingEndsWithItsContextAtEachRow(t *testing.T) {
	t.Parallel()
	const content = "Pallet No,Produce,Cartons,Net kg/carton\nP1,Avocado,80,4\nP2,Avocado,80,4\nP3,Avocado,80,4\n"
	for name, facts := range map[string]bool{"a list": false, "another document": true} {
		asked := 0
		for ; asked < 100; asked++ {
			o := Options{Kind: CSV, Size: int64(len(content)), Facts: facts}
			_, err := Read(&ending{t.Context(), asked}, strings.NewReader(content), o)
			if err == nil {
				break
			}
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s, %d: %v", name, asked, err)
			}
		}
		if asked < 3 || asked == 100 { // 4 rows of the table, and at least 3 lines
			t.Errorf("%s was read although its context was asked %d times", name, asked)
		}
	}
}
