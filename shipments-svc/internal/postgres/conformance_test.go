package postgres_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	mathrand "math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// newRepository returns a repository on a fresh database.
func newRepository(tb testing.TB) *postgres.Repository {
	tb.Helper()
	db, err := postgres.Open(postgrestest.New(tb, postgres.Migrate), postgrestest.Session())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	return postgres.NewRepository(db)
}

// TestRepository checks what shipments.Repository guarantees.
func TestRepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, shipments.Repository){
		"a created shipment is shown as it was given":           testCreate,
		"a shipment is shown with its parts as it was stored":   testParts,
		"an organization has nothing of another":                testOrganizations,
		"pages are the model's, at any depth and of any status": testPages,
		"a list shows exactly what meets its filter":            testFilters,
		"a page past the end is empty and has the true total":   testPastTheEnd,
		"a total counts what the rows show, while others write": testSnapshot,
		"a call for a client who left ends with its context":    testCanceled,
		"a change is stored whole, and noted":                   testChange,
		"a change of what has changed does nothing":             testChangeOvertaken,
		"of many changes at once one is stored":                 testChangesAtOnce,
		"a head has the failing checks":                         testHead,
		"what is deleted is gone, and only that":                testDelete,
		"counters equal the rows after random operations":       testRandomOperations,
		"a revision is stored whole and replaces the checks":    testRevise,
		"of many revisions at once one is stored":               testReviseAtOnce,
		"pallets that another shipment has meanwhile are found": testReuseMeanwhile,
		"pallets are found in other shipments":                  testPalletUses,
		"a key runs an operation once, and stores its answer":   testOnce,
		"a key is its organization's, operation's and time's":   testKeys,
		"what failed under a key is undone and not stored":      testOnceFailed,
		"of many with one key at once one is done":              testOnceAtOnce,
		"a history begins with the shipment, latest first":      testHistory,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newRepository(t))
		})
	}
}

func detail(status shipments.Status, created time.Time, pallets int) shipments.Detail {
	d := shipments.Detail{Shipment: postgres.NewShipment(status, created)}
	for i := range pallets {
		d.Pallets = append(d.Pallets, shipments.Pallet{
			Number: fmt.Sprintf("P%d", pallets-i), ProduceName: "Avocado Hass", Calibre: "1\"/2 'x' \\n",
			Boxes: i + 1, BoxWeight: list.Grams(4125 + i),
		})
	}
	d.Checks, d.Documents = []shipments.Check{}, []shipments.Document{}
	for _, r := range shipments.Results {
		d.Checks = append(
			d.Checks, shipments.Check{Name: "check_" + string(r), Result: r, Details: "because of <&> " + string(r)},
		)
	}
	d.PalletsCount = pallets
	return d
}

func testCreate(t *testing.T, repo shipments.Repository) {
	org, s := postgres.NewOrg(), postgres.NewShipment(shipments.Pending, postgres.Noon.Add(123*time.Millisecond))
	check(t, repo.Create(t.Context(), org, s, postgres.Someone))
	got, err := repo.Get(t.Context(), org, s.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	equal(t, got, shipments.Detail{
		Shipment: s, Pallets: []shipments.Pallet{}, Checks: []shipments.Check{}, Documents: []shipments.Document{},
	})
}

func testParts(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	all := []shipments.Detail{
		detail(shipments.Approved, time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC), 1),
		detail(shipments.Rejected, time.Date(9999, 12, 31, 23, 59, 59, 999e6, time.UTC), 2500),
		detail(shipments.ReadyForReview, postgres.Noon, 3),
	}
	stores(t, repo, org, all...)
	for _, want := range all {
		got, err := repo.Get(t.Context(), org, want.ID, postgres.Parts, postgres.Whole)
		check(t, err)
		equal(t, got, want)
	}
}

func testOrganizations(t *testing.T, repo shipments.Repository) {
	mine, theirs := postgres.NewOrg(), postgres.NewOrg()
	d := detail(shipments.Approved, postgres.Noon, 2)
	stores(t, repo, theirs, d)
	_, err := repo.Get(t.Context(), mine, d.ID, postgres.Parts, postgres.Whole)
	if !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("getting another organization's shipment: %v", err)
	}
	if total := total(t, repo, mine); total != 0 {
		t.Errorf("%d shipments of another organization are listed", total)
	}
	same := detail(shipments.Pending, postgres.Noon.Add(time.Hour), 1) // the same id is another shipment here
	same.ID = d.ID
	stores(t, repo, mine, same)
	for org, want := range map[shipments.OrgID]shipments.Detail{mine: same, theirs: d} {
		got, err := repo.Get(t.Context(), org, d.ID, postgres.Parts, postgres.Whole)
		check(t, err)
		equal(t, got, want)
	}
}

// testPages compares every page with a sorted slice. Days have very different
// numbers of shipments, some lie at both ends of a UTC day, and many share a
// millisecond.
func testPages(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	random := mathrand.New(mathrand.NewPCG(7, 7))
	var all []shipments.Detail
	for _, size := range []int{1, 30, 0, 2, 17, 1, 1, 0, 5} {
		day := time.Date(2026, 3, 28+len(all)%7, 0, 0, 0, 0, time.UTC).AddDate(0, len(all), 0)
		for range size {
			at := []time.Duration{0, 24*time.Hour - time.Millisecond, time.Duration(random.IntN(4)) * time.Hour}
			all = append(
				all, detail(shipments.Statuses[random.IntN(len(shipments.Statuses))], day.Add(at[random.IntN(len(at))]), 0),
			)
		}
	}
	stores(t, repo, org, all...)
	stores(t, repo, postgres.NewOrg(), detail(shipments.Pending, postgres.Noon, 0))
	slices.SortFunc(all, newestFirst)
	for _, status := range append([]shipments.Status{""}, shipments.Statuses...) {
		var model []shipments.Shipment
		for _, d := range all {
			if status == "" || d.Status == status {
				model = append(model, d.Shipment)
			}
		}
		for _, limit := range []int64{1, 7, 100} {
			for offset := int64(0); offset < int64(len(model)); offset += limit {
				rows, total, err := repo.List(t.Context(), org, shipments.Filter{Status: status}, offset, limit)
				check(t, err)
				if total != int64(len(model)) {
					t.Fatalf("status %q: total %d, want %d", status, total, len(model))
				}
				equal(t, rows, model[offset:min(offset+limit, int64(len(model)))])
			}
		}
	}
}

// newestFirst is the order of lists.
func newestFirst(a, b shipments.Detail) int {
	return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), bytes.Compare(b.ID[:], a.ID[:]))
}

func testPastTheEnd(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	check(t, repo.Create(t.Context(), org, postgres.NewShipment(shipments.Pending, postgres.Noon), postgres.Someone))
	for _, offset := range []int64{1, 2, 1 << 40, math.MaxInt64} {
		rows, total, err := repo.List(t.Context(), org, shipments.Filter{}, offset, 25)
		check(t, err)
		if len(rows) != 0 || rows == nil || total != 1 {
			t.Errorf("after %d: %v of %d, want none of 1", offset, rows, total)
		}
	}
}

func testSnapshot(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for !closed(stop) {
				s := postgres.NewShipment(shipments.Pending, postgres.Noon)
				s.Reference = "PO-1"
				if err := repo.Create(t.Context(), org, s, postgres.Someone); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	// Every filter is met by all that is written.
	filters := []shipments.Filter{
		{},
		{Texts: shipments.Draft{Reference: "PO-1"}},
		{CreatedAfter: new(postgres.Noon.Add(-time.Hour))},
		{Status: shipments.Pending},
	}
	for i, seen := 0, int64(0); seen < 60; i++ {
		rows, total, err := repo.List(t.Context(), org, filters[i%len(filters)], 0, shipments.MaxPerPage)
		check(t, err)
		if int64(len(rows)) != min(total, shipments.MaxPerPage) || total < seen {
			t.Errorf("%d rows, total %d, after a total of %d", len(rows), total, seen)
			break
		}
		seen = total
	}
	close(stop)
	wg.Wait()
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

func testCanceled(t *testing.T, repo shipments.Repository) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := repo.List(ctx, postgres.NewOrg(), shipments.Filter{}, 0, 1); !errors.Is(err, context.Canceled) ||
		errors.Is(err, shipments.ErrUnavailable) {
		t.Errorf("list: %v, want context.Canceled", err)
	}
}

// stores stores shipments with their parts.
func stores(t *testing.T, repo shipments.Repository, org shipments.OrgID, all ...shipments.Detail) {
	t.Helper()
	for _, d := range all {
		from := d.Shipment
		from.Version, from.PalletsCount = d.Version-1, 0
		check(t, repo.Create(t.Context(), org, from, shipments.Actor{}))
		check(t, repo.Revise(t.Context(), org, shipments.Revision{
			From: from, To: d.Shipment, Pallets: d.Pallets, Checks: append([]shipments.Check{}, d.Checks...),
			Entry: shipments.Entry{Version: d.Version, At: d.CreatedAt, Action: shipments.Update, Status: d.Status},
		}))
	}
}

func total(t *testing.T, repo shipments.Repository, org shipments.OrgID) int64 {
	t.Helper()
	rows, total, err := repo.List(t.Context(), org, shipments.Filter{}, 0, 100)
	check(t, err)
	if int64(len(rows)) != total {
		t.Fatalf("%d rows, total %d", len(rows), total)
	}
	return total
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal[T any](t *testing.T, got, want T) {
	t.Helper()
	ignored := cmpopts.IgnoreFields(shipments.Detail{}, "Bytes")
	if diff := gocmp.Diff(want, got, ignored); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
}
