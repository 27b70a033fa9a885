package postgres_test

import (
	"crypto/rand"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestJobs checks what shipments.Jobs guarantees.
func TestJobs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *postgres.Repository){
		"a document that waits is claimed by one":       testClaim,
		"a document that is begun says so, once":        testBegin,
		"what was read is published with its job, once": testPublish,
		"who lost a job can do nothing with it":         testLost,
		"a new run takes the job from its worker":       testNewRun,
		"a job goes with its document":                  testJobGone,
		"what is kept of a document is shown as it was": testKept,
		"only documents of the organization are known":  testUnneeded,
		"several workers have several jobs":             testManyJobs,
		"organizations have jobs claimed in turn":       turns(0),
		"they have turns beside one with many jobs":     turns(100),
		"a job waits until it is claimed":               testWaiting,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, newRepository(t))
		})
	}
}

func lease() (l shipments.Lease) {
	_, _ = rand.Read(l[:])
	return l
}

func claim(t *testing.T, q *postgres.Repository) shipments.Job {
	t.Helper()
	j, err := q.Claim(t.Context(), lease(), shipments.Turn{})
	check(t, err)
	return j
}

func testClaim(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	var claimed atomic.Int64
	var wg sync.WaitGroup
	for range 8 {
		l := lease()
		wg.Go(func() {
			switch j, err := q.Claim(t.Context(), l, shipments.Turn{}); {
			case err == nil:
				claimed.Add(1)
				want := shipments.Job{Org: org, Shipment: s.ID, Document: doc.ID, Run: 1, Attempt: 1, Lease: l}
				if j != want {
					t.Errorf("%+v, want %+v", j, want)
				}
			case !errors.Is(err, shipments.ErrNoJob):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if claimed.Load() != 1 {
		t.Errorf("claimed by %d", claimed.Load())
	}
}

func testBegin(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	j := claim(t, q)
	for range 2 {
		begun, err := q.Begin(t.Context(), j)
		if check(t, err); begun.ID != doc.ID || begun.Run != 1 || begun.Kind != doc.Kind {
			t.Errorf("%+v", begun)
		}
	}
	other := j
	other.Run = 2
	if _, err := q.Begin(t.Context(), other); !errors.Is(err, shipments.ErrLost) {
		t.Errorf("another run: %v", err)
	}
	d, err := q.Get(t.Context(), org, s.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	if d.Documents[0].Status != shipments.BeingRead || d.Version != s.Version || d.Status != shipments.Processing {
		t.Errorf("%+v", d)
	}
	if _, total, err := q.History(t.Context(), org, s.ID, 0, 10); err != nil || total != 2 { // no version without an event
		t.Errorf("%d entries (%v)", total, err)
	}
}

func testPublish(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	j := claim(t, q)
	doc.Status, doc.ProcessedAt, doc.PalletsExtracted = shipments.Processed, postgres.Noon, 1
	r := postgres.NewRevision(s, shipments.ReadyForReview, shipments.ProcessDocument, &doc)
	r.Lease, r.Pallets, r.To.PalletsCount = j.Lease, []shipments.Pallet{
		{Number: "1", Source: shipments.Source{Document: doc.ID, Row: 1}},
	}, 1
	check(t, q.Revise(t.Context(), org, r))
	again := postgres.NewRevision(r.To, shipments.ReadyForReview, shipments.ProcessDocument, &doc)
	again.Lease = j.Lease
	if err := q.Revise(t.Context(), org, again); !errors.Is(err, shipments.ErrLost) {
		t.Errorf("published again: %v", err)
	}
	if _, err := q.Claim(t.Context(), lease(), shipments.Turn{}); !errors.Is(err, shipments.ErrNoJob) {
		t.Errorf("a job is left: %v", err)
	}
	d, err := q.Get(t.Context(), org, s.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	equal(t, d.Shipment, r.To)
	equal(t, d.Pallets, r.Pallets)
	equal(t, d.Documents, []shipments.Document{doc})
}

func testLost(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	j := claim(t, q)
	check(t, q.Extend(t.Context(), j))
	check(t, q.Release(t.Context(), j, 0))
	next := claim(t, q)
	if next.Attempt != 1 || next.Document != doc.ID {
		t.Errorf("%+v", next)
	}
	doc.Status, doc.ProcessedAt = shipments.Processed, postgres.Noon
	r := postgres.NewRevision(s, shipments.ReadyForReview, shipments.ProcessDocument, &doc)
	r.Lease = j.Lease
	for doing, err := range map[string]error{
		"extend": q.Extend(t.Context(), j), "release": q.Release(t.Context(), j, 0),
		"publish": q.Revise(t.Context(), org, r),
	} {
		if !errors.Is(err, shipments.ErrLost) {
			t.Errorf("%s: %v", doing, err)
		}
	}
	d, err := q.Get(t.Context(), org, s.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	if !gocmp.Equal(d.Shipment, s) || d.Documents[0].Status != shipments.Queued {
		t.Errorf("%+v", d)
	}
	check(t, q.Release(t.Context(), next, time.Hour))
	if _, err := q.Claim(t.Context(), lease(), shipments.Turn{}); !errors.Is(err, shipments.ErrNoJob) {
		t.Errorf("a job is claimed before its time: %v", err)
	}
}

func testNewRun(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	old := claim(t, q)
	doc.Run = 2
	r := postgres.NewRevision(s, shipments.Processing, shipments.ProcessDocument, &doc)
	check(t, q.Revise(t.Context(), org, r))
	if err := q.Extend(t.Context(), old); !errors.Is(err, shipments.ErrLost) {
		t.Errorf("extend: %v", err)
	}
	if j := claim(t, q); j.Run != 2 || j.Attempt != 1 {
		t.Errorf("%+v", j)
	}
	doc.Run, doc.Status, doc.ProcessedAt = 1, shipments.Processed, postgres.Noon
	late := postgres.NewRevision(r.To, shipments.ReadyForReview, shipments.ProcessDocument, &doc)
	late.Lease = old.Lease
	if err := q.Revise(t.Context(), org, late); !errors.Is(err, shipments.ErrLost) {
		t.Errorf("an older run published: %v", err)
	}
}

func testJobGone(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	r := postgres.NewRevision(s, shipments.Pending, shipments.DeleteDocument, &doc)
	r.Document, r.Detached = nil, doc.ID
	check(t, q.Revise(t.Context(), org, r))
	if _, err := q.Claim(t.Context(), lease(), shipments.Turn{}); !errors.Is(err, shipments.ErrNoJob) {
		t.Errorf("claim: %v", err)
	}
}

func testKept(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	s, doc := postgres.NewQueued(t, q, org)
	got, err := q.Documents(t.Context(), org, s.ID)
	check(t, err)
	equal(t, got, []shipments.Document{doc})
	place := list.Place{Sheet: "Blatt \"1\"", Row: 3}
	doc.Status, doc.ProcessedAt, doc.RowsRead, doc.PalletsExtracted = shipments.Failed, postgres.Noon, 7, 1
	doc.Failure = shipments.Failure{Code: "no_pallets", Detail: "There are <none>."}
	doc.Facts = []list.Fact{{Kind: list.VesselFact, Text: "MSC 'Carmen'", Place: place}}
	doc.Remarks = []list.Remark{{Code: "row_skipped", Text: "Row 3", Place: place}, {Code: "x", Text: "y"}}
	r := postgres.NewRevision(s, shipments.ReadyForReview, shipments.ProcessDocument, &doc)
	r.Lease, r.To.PalletsCount = claim(t, q).Lease, 1
	r.Pallets = []shipments.Pallet{{
		Number: "1", Boxes: 3, BoxWeight: 4000, Source: shipments.Source{Document: doc.ID, Sheet: place.Sheet, Row: 9},
		Places: list.Places{Calibre: place, BoxWeight: list.Place{Row: 1}},
		Contents: []list.Content{
			{
				ProduceName: "Plum",
				Calibre:     "A",
				Particulars: list.Particulars{Labels: list.Labels{Lot: "L7", Orchard: "HUE 0816"}},
				Boxes:       1,
				BoxWeight:   2000,
				Place:       place,
			},
			{ProduceName: "Fig", Boxes: 2, BoxWeight: 5000},
		},
	}}
	r.Checks = []shipments.Check{
		{Name: "a", Result: shipments.Fail, Count: 1, Locations: []shipments.Location{{Source: r.Pallets[0].Source}}},
	}
	check(t, q.Revise(t.Context(), org, r))
	d, err := q.Get(t.Context(), org, s.ID, postgres.Parts, postgres.Whole)
	check(t, err)
	equal(t, d, shipments.Detail{
		Shipment: r.To, Pallets: r.Pallets, Checks: r.Checks, Documents: []shipments.Document{doc},
	})
}

func testUnneeded(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	_, mine := postgres.NewQueued(t, q, org)
	_, theirs := postgres.NewQueued(t, q, postgres.NewOrg())
	unknown := shipments.DocumentID{1}
	unneeded := func(now, markedBefore time.Time, want []shipments.DocumentID, files ...shipments.DocumentID) {
		t.Helper()
		got, err := q.Unneeded(t.Context(), org, files, now, markedBefore)
		check(t, err)
		equal(t, got, want)
	}
	none, soon := []shipments.DocumentID{}, postgres.Noon.Add(time.Second)
	unneeded(postgres.Noon, soon, none, unknown, theirs.ID) // of none is a document there
	unneeded(postgres.Noon, soon, none, mine.ID, unknown, theirs.ID)
	unneeded(soon, postgres.Noon, none, mine.ID, unknown, theirs.ID)
	unneeded(soon, soon, []shipments.DocumentID{theirs.ID, unknown}, mine.ID, unknown, theirs.ID)
	unneeded(soon, soon, none, mine.ID, unknown) // it was marked anew
}

func testManyJobs(t *testing.T, q *postgres.Repository) {
	org := postgres.NewOrg()
	for range 5 {
		postgres.NewQueued(t, q, org)
	}
	seen := map[shipments.DocumentID]bool{}
	for range 5 {
		seen[claim(t, q).Document] = true
	}
	if len(seen) != 5 {
		t.Errorf("%d of 5 documents were claimed", len(seen))
	}
}

// turns checks the turns of three organizations beside a fourth that has so many jobs and as many claimed as it may.
func turns(many int) func(*testing.T, *postgres.Repository) {
	return func(t *testing.T, q *postgres.Repository) {
		busy := postgres.NewOrg()
		for range many {
			postgres.NewQueued(t, q, busy)
		}
		except := []shipments.Organization{shipments.OrganizationOf(busy)}
		orgs, all := make([]shipments.OrgID, 3), make([]shipments.Organization, 3)
		for i := range orgs {
			all[i] = shipments.OrganizationOf(postgres.NewOrg())
			all[i][0] = byte(i)
			orgs[i] = shipments.OrgID(all[i])
		}
		for i, org := range orgs {
			for n := range 3 - i {
				if n == 1 {
					org[0] |= 0xe0
				}
				postgres.NewQueued(t, q, org)
			}
		}
		// The first has 3 jobs, the second 2, and the third 1, of live and of test data, which have one turn between them.
		turn := shipments.Turn{Except: except}
		for i, want := range []int{0, 1, 2, 0, 1, 0} {
			j, err := q.Claim(t.Context(), lease(), turn)
			check(t, err)
			if turn.After = shipments.OrganizationOf(j.Org); shipments.OrgID(turn.After) != orgs[want] {
				t.Errorf("turn %d was that of organization %d, want %d", i, slices.Index(orgs, j.Org), want)
			}
		}
		postgres.NewQueued(t, q, orgs[0])
		postgres.NewQueued(t, q, orgs[1])
		j, err := q.Claim(t.Context(), lease(), shipments.Turn{After: all[2], Except: append(except, all[0])})
		if check(t, err); j.Org != orgs[1] {
			t.Errorf("organization %d was served", slices.Index(orgs, j.Org))
		}
		_, err = q.Claim(t.Context(), lease(), shipments.Turn{Except: append(except, all...)})
		if !errors.Is(err, shipments.ErrNoJob) {
			t.Errorf("all are excepted: %v", err)
		}
	}
}

func testWaiting(t *testing.T, q *postgres.Repository) {
	waits := func() bool {
		waited, err := q.JobsWaiting(t.Context())
		check(t, err)
		return waited > 0
	}
	if waits() {
		t.Error("a job waits in an empty queue")
	}
	postgres.NewQueued(t, q, postgres.NewOrg())
	if !waits() {
		t.Error("no job waits")
	}
	j := claim(t, q)
	if waits() {
		t.Error("a claimed job waits")
	}
	check(t, q.Release(t.Context(), j, time.Hour))
	if waits() {
		t.Error("a job waits before its time")
	}
}
