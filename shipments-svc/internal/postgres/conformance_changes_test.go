package postgres_test

import (
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// changed returns what a shipment becomes, and the entry that notes it.
func changed(s shipments.Shipment, a shipments.Action, status shipments.Status) (shipments.Shipment, shipments.Entry) {
	s.Version++
	s.Status = status
	s.ApprovedAt = time.Time{}
	e := shipments.Entry{
		Version: s.Version,
		At:      postgres.Noon.Add(time.Duration(s.Version) * time.Hour),
		By:      postgres.Someone,
		Action:  a,
		Status:  status,
	}
	if status == shipments.Approved {
		s.ApprovedAt = e.At
	}
	return s, e
}

// deleting is the entry of a deletion, which no history has.
var deleting = shipments.Entry{At: postgres.Noon, By: postgres.Someone, Action: shipments.Delete}

func testChange(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	before := detail(shipments.ReadyForReview, postgres.Noon, 2)
	other := detail(shipments.ReadyForReview, postgres.Noon, 1)
	stores(t, repo, org, before, other)
	theirs := postgres.NewOrg()
	stores(t, repo, theirs, before)

	to, entry := changed(before.Shipment, shipments.Approve, shipments.Approved)
	to.Draft = shipments.NewDraft(func(name string) string { return "new " + name })
	entry.Reason = "because \u2028 of <&> \"it\""
	entry.Changes = []shipments.Change{{Field: "vessel", From: "MSC Carmen", To: "new"}}
	check(t, repo.Revise(t.Context(), org, shipments.Revision{From: before.Shipment, To: to, Entry: entry}))

	after := before
	after.Shipment = to
	for _, want := range []struct {
		org shipments.OrgID
		shipments.Detail
	}{{org, after}, {org, other}, {theirs, before}} {
		got, err := repo.Get(t.Context(), want.org, want.ID, postgres.Parts, postgres.Whole)
		check(t, err)
		equal(t, got, want.Detail)
	}
	entries, total, err := repo.History(t.Context(), org, to.ID, 0, 10)
	check(t, err)
	if total != 3 {
		t.Errorf("%d entries", total)
	}
	equal(t, entries[0], entry)
	for status, want := range map[shipments.Status]int64{shipments.Approved: 1, shipments.ReadyForReview: 1, "": 2} {
		_, total, err := repo.List(t.Context(), org, shipments.Filter{Status: status}, 0, 1)
		check(t, err)
		if total != want {
			t.Errorf("%d of status %q, want %d", total, status, want)
		}
	}
}

func testChangeOvertaken(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	d := detail(shipments.ReadyForReview, postgres.Noon, 1)
	stores(t, repo, org, d)
	older, otherStatus, unknown := d.Shipment, d.Shipment, d.Shipment
	older.Version--
	otherStatus.Status = shipments.Rejected
	unknown.ID[0]++
	for name, from := range map[string]shipments.Shipment{
		"an older version": older, "another status": otherStatus,
		"unknown": unknown,
	} {
		to, entry := changed(from, shipments.Reject, shipments.Rejected)
		r := shipments.Revision{From: from, To: to, Entry: entry}
		if err := repo.Revise(t.Context(), org, r); !errors.Is(err, shipments.ErrVersion) {
			t.Errorf("change of %s: %v", name, err)
		}
		if err := repo.Delete(t.Context(), org, from, entry); !errors.Is(err, shipments.ErrVersion) {
			t.Errorf("delete of %s: %v", name, err)
		}
	}
	to, entry := changed(d.Shipment, shipments.Reject, shipments.Rejected)
	r := shipments.Revision{From: d.Shipment, To: to, Entry: entry}
	if err := repo.Revise(t.Context(), postgres.NewOrg(), r); !errors.Is(err, shipments.ErrVersion) {
		t.Errorf("change for another organization: %v", err)
	}
	got, err := repo.Get(t.Context(), org, d.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	equal(t, got, d)
	if _, total, err := repo.History(t.Context(), org, d.ID, 0, 10); err != nil || total != 2 {
		t.Errorf("%d entries (%v)", total, err)
	}
}

func testChangesAtOnce(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	d := detail(shipments.ReadyForReview, postgres.Noon, 1)
	stores(t, repo, org, d)
	var stored atomic.Int64
	var wg sync.WaitGroup
	for i := range 50 {
		a, status := shipments.Approve, shipments.Approved
		if i%2 == 0 {
			a, status = shipments.Reject, shipments.Rejected
		}
		to, entry := changed(d.Shipment, a, status)
		wg.Go(func() {
			switch err := repo.Revise(t.Context(), org, shipments.Revision{From: d.Shipment, To: to, Entry: entry}); {
			case err == nil:
				stored.Add(1)
			case !errors.Is(err, shipments.ErrVersion):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := stored.Load(); n != 1 {
		t.Errorf("%d changes were stored", n)
	}
	if _, total, err := repo.History(t.Context(), org, d.ID, 0, 10); err != nil || total != 3 {
		t.Errorf("%d entries (%v)", total, err)
	}
}

func testHead(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	d := detail(shipments.ReadyForReview, postgres.Noon, 1)
	d.Checks = append(d.Checks, shipments.Check{Name: `a "strange" {name},`, Result: shipments.Fail, Details: "d"})
	stores(t, repo, org, d)
	head, err := repo.Head(t.Context(), org, d.ID)
	check(t, err)
	equal(t, head, shipments.Head{Shipment: d.Shipment})
	to, entry := changed(d.Shipment, shipments.Reject, shipments.Rejected)
	check(t, repo.Revise(t.Context(), org, shipments.Revision{From: d.Shipment, To: to, Entry: entry}))
	if head, err = repo.Head(t.Context(), org, d.ID); err != nil || !head.Decided {
		t.Errorf("%+v (%v) of a rejected shipment", head, err)
	}
	if _, err := repo.Head(t.Context(), postgres.NewOrg(), d.ID); !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("the head of another organization's shipment: %v", err)
	}
}

func testDelete(t *testing.T, repo shipments.Repository) {
	org, theirs := postgres.NewOrg(), postgres.NewOrg()
	d, other := detail(shipments.Pending, postgres.Noon, 2), detail(shipments.Pending, postgres.Noon, 2)
	stores(t, repo, org, d, other)
	stores(t, repo, theirs, d)
	check(t, repo.Delete(t.Context(), org, d.Shipment, deleting))
	if _, err := repo.Get(t.Context(), org, d.ID, postgres.Parts, postgres.Whole); !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("get: %v", err)
	}
	if _, _, err := repo.History(t.Context(), org, d.ID, 0, 10); !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("history: %v", err)
	}
	for _, left := range []struct {
		org shipments.OrgID
		shipments.Detail
	}{{org, other}, {theirs, d}} {
		got, err := repo.Get(t.Context(), left.org, left.ID, postgres.Parts, postgres.Whole)
		check(t, err)
		equal(t, got, left.Detail)
		if n := total(t, repo, left.org); n != 1 {
			t.Errorf("%d shipments are left", n)
		}
	}
}

// testRandomOperations lets creates, changes and deletes run into each other,
// and then compares lists, which the counters give the totals of, with what
// is there.
func testRandomOperations(t *testing.T, repo shipments.Repository) {
	org := postgres.NewOrg()
	var wg sync.WaitGroup
	for worker := range 6 {
		random := mathrand.New(mathrand.NewPCG(5, uint64(worker)))
		wg.Go(func() {
			for range 60 {
				if err := randomOperation(t, repo, org, random); err != nil && !errors.Is(err, shipments.ErrVersion) {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	for _, status := range append([]shipments.Status{""}, shipments.Statuses...) {
		counted := shipments.Filter{Status: status}
		rows, total, err := repo.List(t.Context(), org, counted, 0, 1000)
		check(t, err)
		// All have the reference, and the counters do not know it.
		seen := shipments.Filter{Status: status, Texts: shipments.Draft{Reference: "PO-1"}}
		_, rowsTotal, err := repo.List(t.Context(), org, seen, 0, 1000)
		check(t, err)
		if total != rowsTotal || int64(len(rows)) != rowsTotal {
			t.Errorf("status %q: %d counted, %d listed, %d there", status, total, len(rows), rowsTotal)
		}
	}
}

// randomOperation creates a shipment, or moves or deletes one of the newest.
func randomOperation(t *testing.T, repo shipments.Repository, org shipments.OrgID, random *mathrand.Rand) error {
	rows, _, err := repo.List(t.Context(), org, shipments.Filter{}, 0, 10)
	if err != nil {
		return err
	}
	if len(rows) == 0 || random.IntN(3) == 0 {
		s := postgres.NewShipment(shipments.Pending, randomTime(random))
		s.Reference = "PO-1"
		return repo.Create(t.Context(), org, s, postgres.Someone)
	}
	s := rows[random.IntN(len(rows))]
	if random.IntN(4) == 0 {
		return repo.Delete(t.Context(), org, s, deleting)
	}
	to, entry := changed(s, shipments.Update, shipments.Statuses[random.IntN(len(shipments.Statuses))])
	return repo.Revise(t.Context(), org, shipments.Revision{From: s, To: to, Entry: entry})
}

func testHistory(t *testing.T, repo shipments.Repository) {
	org, s := postgres.NewOrg(), postgres.NewShipment(shipments.Pending, postgres.Noon)
	check(t, repo.Create(t.Context(), org, s, postgres.Someone))
	want := []shipments.Entry{
		{Version: 1, At: postgres.Noon, By: postgres.Someone, Action: shipments.Create, Status: shipments.Pending},
	}
	for i := range 5 {
		to, entry := changed(s, shipments.Update, shipments.Statuses[i])
		entry.Reason = strings.Repeat("why ", i)
		for field := range i {
			entry.Changes = append(entry.Changes, shipments.Change{Field: fmt.Sprint(field), To: "Ł'\"\\"})
		}
		check(t, repo.Revise(t.Context(), org, shipments.Revision{From: s, To: to, Entry: entry}))
		s, want = to, append(want, entry)
	}
	slices.Reverse(want)
	for offset := range int64(8) {
		entries, total, err := repo.History(t.Context(), org, s.ID, offset, 2)
		check(t, err)
		if total != 6 || entries == nil {
			t.Errorf("total %d", total)
		}
		equal(t, entries, want[min(offset, 6):min(offset+2, 6)])
	}
	for name, look := range map[string]struct {
		org shipments.OrgID
		id  shipments.ID
	}{"of another organization": {postgres.NewOrg(), s.ID}, "unknown": {org, shipments.ID{1}}} {
		if _, _, err := repo.History(t.Context(), look.org, look.id, 0, 10); !errors.Is(err, shipments.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
