package postgres_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// revised returns the revision that attaches a document, and what it makes of
// the shipment.
func revised(
	d shipments.Detail, doc shipments.Document, pallets []shipments.Pallet,
) (shipments.Revision, shipments.Detail) {
	after := d
	after.Status, after.Version, after.ApprovedAt = shipments.ReadyForReview, d.Version+1, time.Time{}
	after.PalletsCount += len(pallets)
	after.Pallets = append(slices.Clone(d.Pallets), pallets...)
	after.Documents = append(slices.Clone(d.Documents), doc)
	after.Checks = []shipments.Check{
		{Name: "a", Result: shipments.Fail, Details: "because", Count: 2, Locations: []shipments.Location{
			{Source: shipments.Source{Document: doc.ID, Row: 2}, PalletNumber: "Ł'\"\\"}, {PalletNumber: "loaded"},
		}},
		{Name: "b", Result: shipments.Pass, Details: "fine"},
	}
	return shipments.Revision{
		From: d.Shipment, To: after.Shipment, Document: &doc, Pallets: pallets, Checks: after.Checks,
		Entry: shipments.Entry{
			Version:  after.Version,
			At:       postgres.Noon,
			By:       postgres.Someone,
			Action:   shipments.AttachDocument,
			Status:   after.Status,
			Document: doc.ID,
		},
	}, after
}

func testRevise(t *testing.T, repo shipments.Repository) {
	org, theirs := postgres.NewOrg(), postgres.NewOrg()
	before, other := detail(shipments.Rejected, postgres.Noon, 2), detail(shipments.Rejected, postgres.Noon, 1)
	stores(t, repo, org, before, other)
	stores(t, repo, theirs, before)
	is := func(want shipments.Detail) {
		t.Helper()
		got, err := repo.Get(t.Context(), org, want.ID, postgres.Parts, postgres.Whole)
		check(t, err)
		equal(t, got, want)
		docs, err := repo.Documents(t.Context(), org, want.ID)
		check(t, err)
		equal(t, docs, want.Documents)
	}
	first, pallets := postgres.NewDocument(manyNumbers(2100)...)
	r, now := revised(before, first, pallets)
	check(t, repo.Revise(t.Context(), org, r))
	is(now)
	second, pallets := postgres.NewDocument("106141412345678908")
	second.ID[0], pallets[0].Source.Document[0] = 1, 1 // later
	r, now = revised(now, second, pallets)
	check(t, repo.Revise(t.Context(), org, r))
	is(now)
	entries, _, err := repo.History(t.Context(), org, before.ID, 0, 1)
	check(t, err)
	equal(t, entries[0], r.Entry)

	// Without the first, everything else is as it was.
	r, now = revised(now, first, nil)
	r.Document, r.Detached = nil, first.ID
	now.Documents = []shipments.Document{second}
	now.Pallets = slices.DeleteFunc(now.Pallets, func(p shipments.Pallet) bool { return p.Source.Document == first.ID })
	now.PalletsCount = len(now.Pallets)
	r.To.PalletsCount = now.PalletsCount
	check(t, repo.Revise(t.Context(), org, r))
	is(now)
	is(other)
	for status, want := range map[shipments.Status]int64{shipments.ReadyForReview: 1, shipments.Rejected: 1, "": 2} {
		if _, total, err := repo.List(t.Context(), org, shipments.Filter{Status: status}, 0, 1); err != nil || total != want {
			t.Errorf("%d of status %q, want %d (%v)", total, status, want, err)
		}
	}
	if _, total, err := repo.List(t.Context(), org, shipments.Filter{CheckResult: shipments.Warn}, 0, 1); err != nil ||
		total != 1 {
		t.Errorf("%d with the results that were replaced, want that of another shipment (%v)", total, err)
	}
	got, err := repo.Get(t.Context(), theirs, before.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	equal(t, got, before)
	if _, err := repo.Documents(t.Context(), postgres.NewOrg(), before.ID); !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("documents of another organization: %v", err)
	}
}

func manyNumbers(n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprint(i)
	}
	return all
}

func testReviseAtOnce(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	before := detail(shipments.Pending, postgres.Noon, 0)
	stores(t, repo, org, before)
	var stored atomic.Int64
	var wg sync.WaitGroup
	for range 20 {
		doc, pallets := postgres.NewDocument("1", "2")
		r, _ := revised(before, doc, pallets)
		wg.Go(func() {
			switch err := repo.Revise(t.Context(), org, r); {
			case err == nil:
				stored.Add(1)
			case !errors.Is(err, shipments.ErrVersion):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := repo.Get(t.Context(), org, before.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	if stored.Load() != 1 || len(got.Documents) != 1 || len(got.Pallets) != 2 || got.PalletsCount != 2 ||
		got.Version != 2 {
		t.Errorf("%d stored: %+v", stored.Load(), got)
	}
}

func testPalletUses(t *testing.T, repo shipments.Repository) {
	const sscc, another = "106141412345678908", "376104250021234569"
	org := postgres.NewOrg()
	for _, s := range []struct {
		org       shipments.OrgID
		reference string
		status    shipments.Status
		at        time.Time
		label     string
	}{
		{org, "b", shipments.Pending, postgres.Noon, "(00)" + sscc},
		{org, "a", shipments.Approved, postgres.Noon, sscc},
		{org, "another", shipments.Approved, postgres.Noon, another},
		{org, "no SSCC", shipments.Approved, postgres.Noon, "1"},
		{org, "rejected", shipments.Rejected, postgres.Noon, sscc},
		{org, "long ago", shipments.Approved, postgres.Noon.AddDate(-2, 0, 0), sscc},
		{postgres.NewOrg(), "theirs", shipments.Approved, postgres.Noon, sscc},
	} {
		d := detail(s.status, s.at, 0)
		d.Reference = s.reference
		_, d.Pallets = postgres.NewDocument(s.label, s.label)
		stores(t, repo, s.org, d)
	}
	self := detail(shipments.Pending, postgres.Noon, 0)
	_, self.Pallets = postgres.NewDocument(sscc)
	stores(t, repo, org, self)
	uses, err := repo.PalletUses(
		t.Context(), org, self.ID, []string{sscc, "000000000000000000"}, postgres.Noon.AddDate(-1, 0, 0),
	)
	check(t, err)
	equal(t, uses, []shipments.Use{{SSCC: sscc, Reference: "a"}, {SSCC: sscc, Reference: "b"}})
	none, err := repo.PalletUses(t.Context(), postgres.NewOrg(), self.ID, []string{sscc}, postgres.Noon.AddDate(-1, 0, 0))
	check(t, err)
	equal[[]shipments.Use](t, none, nil)
}

// testReuseMeanwhile: a revision is not stored if its checks were made before another shipment had its pallets.
func testReuseMeanwhile(t *testing.T, repo shipments.Repository) {
	const sscc = "106141412345678908"
	org := postgres.NewOrg()
	other, d := detail(shipments.Pending, postgres.Noon, 0), detail(shipments.Pending, postgres.Noon, 0)
	_, other.Pallets = postgres.NewDocument(sscc)
	stores(t, repo, org, other, d)
	to, entry := changed(d.Shipment, shipments.Update, shipments.Pending)
	r := shipments.Revision{
		From: d.Shipment, To: to, Entry: entry, Checks: []shipments.Check{}, Reuse: shipments.Reuse{SSCCs: []string{sscc}},
	}
	if err := repo.Revise(t.Context(), org, r); !errors.Is(err, shipments.ErrVersion) {
		t.Errorf("%v", err)
	}
	r.Uses = []shipments.Use{{SSCC: sscc, Reference: other.Reference}}
	check(t, repo.Revise(t.Context(), org, r))
}
