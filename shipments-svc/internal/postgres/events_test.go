package postgres

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// number gives numbers until no event of the organization is without.
func number(t *testing.T, r *Repository, org shipments.OrgID) {
	t.Helper()
	for {
		waiting, err := r.Waiting(t.Context(), shipments.OrgID{}, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(waiting, org) {
			return
		}
		if _, _, err := r.Number(t.Context(), org, 3); err != nil {
			t.Fatal(err)
		}
	}
}

// events returns all events of an organization and fails the test where their
// numbers are not 1, 2, 3….
func events(t *testing.T, r *Repository, org shipments.OrgID) (all []shipments.Event) {
	t.Helper()
	for {
		some, feed, err := r.Events(t.Context(), org, int64(len(all)), 100)
		if err != nil || feed.First != 1 {
			t.Fatalf("the first is %d (%v)", feed.First, err)
		}
		if len(some) == 0 {
			return all
		}
		for _, e := range some {
			if all = append(all, e); e.Number != int64(len(all)) {
				t.Fatalf("number %d follows %d", e.Number, len(all)-1)
			}
		}
	}
}

// TestEveryChangeIsAnnounced, as the shipment and the document were after it.
func TestEveryChangeIsAnnounced(t *testing.T) {
	t.Parallel()
	r, _ := newTest(t)
	org, ctx := NewOrg(), t.Context()
	s := NewShipment(shipments.Pending, Noon)
	do := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		select {
		case <-r.Announced:
		default:
			t.Error("no announcement")
		}
	}
	step := func(a shipments.Action, status shipments.Status) (from, to shipments.Shipment, e shipments.Entry) {
		from, to = s, s
		to.Version, to.Status = s.Version+1, status
		if to.ApprovedAt = (time.Time{}); status == shipments.Approved {
			to.ApprovedAt = Noon.AddDate(0, 0, 1)
		}
		s = to
		return from, to, shipments.Entry{
			Version: to.Version,
			At:      Noon.Add(time.Duration(to.Version) * time.Second),
			Action:  a,
			Status:  status,
		}
	}
	s.Version = 1
	do(r.Create(ctx, org, s, Someone))
	doc := shipments.Document{
		ID: shipments.DocumentID{
			5,
		}, Type: shipments.PackingList, Status: shipments.Processed, SHA256: [32]byte{9}, RowsRead: 2, PalletsExtracted: 1,
		Declared: list.Declared{
			Boxes:           3,
			ContainerNumber: "CSQU3054383",
		}, CreatedAt: Noon, ProcessedAt: Noon,
	}
	from, to, e := step(shipments.AttachDocument, shipments.ReadyForReview)
	do(r.Revise(ctx, org, shipments.Revision{From: from, To: to, Entry: e, Document: &doc}))
	from, to, e = step(shipments.Update, shipments.ReadyForReview)
	do(r.Revise(ctx, org, shipments.Revision{From: from, To: to, Entry: e}))
	from, to, e = step(shipments.Reject, shipments.Rejected)
	do(r.Revise(ctx, org, shipments.Revision{From: from, To: to, Entry: e}))
	from, to, e = step(shipments.DeleteDocument, shipments.Pending)
	do(r.Revise(ctx, org, shipments.Revision{From: from, To: to, Entry: e, Detached: doc.ID}))
	if err := r.Revise(ctx, org, shipments.Revision{From: from, To: to, Entry: e}); !errors.Is(err, shipments.ErrVersion) {
		t.Fatal(err)
	}
	if err := r.Delete(ctx, org, from, e); !errors.Is(err, shipments.ErrVersion) {
		t.Fatal(err)
	}
	do(r.Delete(ctx, org, s, shipments.Entry{At: Noon, Action: shipments.Delete}))
	number(t, r, org)

	var got []string
	for _, e := range events(t, r, org) {
		got = append(got, fmt.Sprint(e.Type, " ", e.Shipment.Version, " ", e.Shipment.Status))
		if document := strings.HasPrefix(string(e.Type), "document."); document != (e.Document != nil) ||
			document && !cmp.Equal(*e.Document, doc) {
			t.Errorf("%s tells of %+v", e.Type, e.Document)
		}
		if want := s; e.Type == shipments.ShipmentDeleted && e.Shipment != want {
			t.Errorf("%+v was deleted, want %+v", e.Shipment, want)
		}
	}
	want := []string{
		"shipment.created 1 pending", "document.attached 2 ready_for_review", "document.processed 2 ready_for_review",
		"shipment.ready_for_review 2 ready_for_review", "shipment.updated 3 ready_for_review", "shipment.rejected 4 rejected",
		"shipment.updated 5 pending", "shipment.deleted 5 pending",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if theirs := events(t, r, NewOrg()); len(theirs) != 0 {
		t.Errorf("another organization has %v", theirs)
	}
}

// TestNumbersAreDenseWhateverIsKilled: while shipments change, several who give
// numbers have their connections cut at random. In the end each change has its
// events, once, in the order of the shipment's versions.
func TestNumbersAreDenseWhateverIsKilled(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	writer := NewRepository(openAt(t, dsn))
	orgs := []shipments.OrgID{NewOrg(), NewOrg()}
	ctx, written := context.WithCancel(t.Context())
	var relays, writers sync.WaitGroup
	cuts := make([]int, 3)
	for i := range cuts {
		proxy, through := proxytest.New(t, dsn)
		r := NewRepository(openAt(t, through))
		random := rand.New(rand.NewPCG(5, uint64(i)))
		relays.Go(func() {
			for ctx.Err() == nil {
				done := proxy.CutIn(time.Duration(random.IntN(20)) * time.Millisecond)
				for _, org := range orgs {
					if _, _, err := r.Number(context.WithoutCancel(ctx), org, 1+random.IntN(7)); err != nil {
						cuts[i]++ // it is tried again
					}
				}
				done()
			}
		})
	}
	const each, versions = 20, 4
	for i := range 4 {
		writers.Go(func() {
			for range each {
				org := orgs[i%len(orgs)]
				s := NewShipment(shipments.ReadyForReview, Noon)
				s.Version = 1
				err := writer.Create(t.Context(), org, s, Someone)
				for v := range versions - 1 {
					to := s
					to.Version++
					to.Vessel = fmt.Sprint("vessel ", v)
					err = errors.Join(
						err,
						writer.Revise(t.Context(), org, shipments.Revision{
							From: s, To: to, Entry: shipments.Entry{Version: to.Version, Action: shipments.Update, Status: to.Status},
						}),
					)
					s = to
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	written()
	relays.Wait()
	for _, org := range orgs {
		number(t, writer, org)
		version := map[shipments.ID]int64{}
		seen := map[shipments.EventID]bool{}
		all := events(t, writer, org)
		for _, e := range all {
			if e.Shipment.Version != version[e.Shipment.ID]+1 || seen[e.ID] {
				t.Fatalf("version %d of a shipment follows its version %d", e.Shipment.Version, version[e.Shipment.ID])
			}
			version[e.Shipment.ID], seen[e.ID] = e.Shipment.Version, true
		}
		if len(all) != 2*each*versions {
			t.Errorf("%d events, want %d", len(all), 2*each*versions)
		}
	}
	t.Logf("%v were interrupted", cuts)
}

// TestOldEventsExpireInBatches, and the numbers go on.
func TestOldEventsExpireInBatches(t *testing.T) {
	t.Parallel()
	r, db := newTest(t)
	org, theirs := NewOrg(), NewOrg()
	for _, o := range []shipments.OrgID{org, theirs} {
		for range 6 {
			if err := r.Create(t.Context(), o, NewShipment(shipments.Pending, Noon), Someone); err != nil {
				t.Fatal(err)
			}
		}
		number(t, r, o)
	}
	exec(
		t, db, `UPDATE events SET numbered_at = $2 WHERE organization_id = $1 AND number <= 5`, uuid.UUID(org), Noon,
	)
	for _, want := range []int{3, 2, 0} {
		n, err := r.Expire(t.Context(), org, Noon.Add(shipments.EventLife+time.Hour), 3)
		if err != nil || n != want {
			t.Errorf("%d were forgotten, want %d (%v)", n, want, err)
		}
	}
	left, feed, err := r.Events(t.Context(), org, 0, 10)
	if err != nil || feed.First != 6 || feed.Head != 6 || len(left) != 1 || left[0].Number != 6 {
		t.Errorf("%v of %+v (%v)", left, feed, err)
	}
	exec(t, db, `DELETE FROM events WHERE organization_id = $1`, uuid.UUID(org))
	if _, feed, err = r.Events(t.Context(), org, 6, 10); err != nil || feed.First != 7 || feed.Head != 6 {
		t.Errorf("without any: %+v (%v)", feed, err)
	}
	if len(events(t, r, theirs)) != 6 {
		t.Error("another organization's were forgotten")
	}
}

// TestEveryOrganizationIsVisited of which something expires or is sealed, each once,
// from any of them on; and its answers expire.
func TestEveryOrganizationIsVisited(t *testing.T) {
	t.Parallel()
	w, db := openWebhooks(t)
	hasEvents, hasEndpoint, hasAnswer := NewOrg(), NewOrg(), NewOrg()
	happen(t, w, hasEvents, 1)
	exec(
		t, db, `UPDATE webhook_endpoints SET status = 'disabled' WHERE id = $1`, uuid.UUID(endpointOf(t, w, hasEndpoint).ID),
	)
	for _, org := range []shipments.OrgID{hasEvents, hasAnswer} {
		_, _, err := w.Repository.Once(
			t.Context(), org, shipments.Key{Text: "k"}, Noon,
			func(context.Context) ([]byte, error) { return []byte("a"), nil },
		)
		must(t, err)
	}
	var visited []shipments.OrgID
	for after := (shipments.OrgID{}); ; {
		orgs, err := w.Organizations(t.Context(), after, 2)
		must(t, err)
		if visited = append(visited, orgs...); len(orgs) < 2 {
			break
		}
		after = orgs[1]
	}
	if len(visited) != 3 || !slices.Contains(visited, hasEndpoint) || !slices.Contains(visited, hasAnswer) {
		t.Errorf("%v of %v, %v, %v", visited, hasEvents, hasEndpoint, hasAnswer)
	}
	for _, want := range []int{1, 0} {
		if n, err := w.Expire(t.Context(), hasAnswer, Noon.Add(shipments.KeyLife), 10); err != nil || n != want {
			t.Errorf("%d answers expired, want %d (%v)", n, want, err)
		}
	}
}

// TestWaitingOrganizationsAreFoundByTheIndex: one step for each, however many
// events they have.
func TestWaitingOrganizationsAreFoundByTheIndex(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	db := oneConn(t, dsn)
	for range 3 {
		fill(t, db, uuid.UUID(NewOrg()), 1000, 10)
	}
	exec(t, db, `ANALYZE`)
	r := NewRepository(openAt(t, dsn))
	orgs, err := r.Waiting(t.Context(), shipments.OrgID{}, 2)
	if err != nil || len(orgs) != 2 {
		t.Fatalf("%v (%v)", orgs, err)
	}
	if rest, err := r.Waiting(t.Context(), orgs[1], 2); err != nil || len(rest) != 1 {
		t.Errorf("%v (%v)", rest, err)
	}
	plan := explain(t, db, query("organizations_with_outbox").text, []any{uuid.UUID{}, 100})
	if scan := plan.find("Seq Scan"); scan != nil {
		t.Errorf("sequential scan of %s", scan.Relation)
	}
}

// TestAJobSignalsTheWorkers of this process, and other changes do not.
func TestAJobSignalsTheWorkers(t *testing.T) {
	t.Parallel()
	r, _ := newTest(t)
	if err := r.Create(t.Context(), NewOrg(), NewShipment(shipments.Pending, Noon), Someone); err != nil {
		t.Fatal(err)
	}
	select {
	case <-r.Queued:
		t.Error("a new shipment is no job")
	default:
	}
	NewQueued(t, r, NewOrg())
	<-r.Queued
}
