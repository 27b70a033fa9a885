package postgres

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestListsFromAReplicaAreNeverOlder: with a real standby that follows, stops
// to follow, falls silent and comes back, every list has what was written
// before it, whichever of two programs wrote it.
func TestListsFromAReplicaAreNeverOlder(t *testing.T) {
	t.Parallel()
	primary, standby := newPair(t)
	if err := Migrate(t.Context(), primary, "up", io.Discard); err != nil {
		t.Fatal(err)
	}
	proxy, through := faultproxy.New(t, standby)
	reader, other := NewRepository(openAt(t, primary)), NewRepository(openAt(t, primary))
	pool, err := OpenReplica(through, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = pool.Close() }()
	reader.ReadFrom(pool)
	behind := operator(t, standby)
	org, total := repotest.Org(), int64(0)
	write := func() {
		t.Helper()
		if err := other.Create(t.Context(), org, repotest.Shipment(shipments.Pending, repotest.Noon), repotest.By); err != nil {
			t.Fatal(err)
		}
		total++
	}
	// list fails the test unless the list is complete; it reports whether the replica served it.
	list := func(ctx context.Context) bool {
		t.Helper()
		before := reader.ServedByReplica()
		page, n, err := reader.List(ctx, org, shipments.Filter{}, 0, 100)
		if err != nil || n != total || int64(len(page)) != total {
			t.Fatalf("%d of %d shipments, want %d (%v)", len(page), n, total, err)
		}
		return reader.ServedByReplica() > before
	}
	for range 20 {
		write()
		if list(t.Context()) {
			t.Error("the replica served while an event had no number")
		}
		number(t, other, org)
		list(t.Context()) // by a fresh replica or the primary
	}
	for !list(t.Context()) { // until it has followed
	}

	exec(t, behind, `SELECT pg_wal_replay_pause()`)
	for paused := ""; paused != "paused"; {
		if err := behind.GetContext(t.Context(), &paused, `SELECT pg_get_wal_replay_pause_state()`); err != nil {
			t.Fatal(err)
		}
	}
	if !list(t.Context()) {
		t.Error("nothing is new, and the replica does not serve")
	}
	write()
	number(t, other, org)
	if list(t.Context()) {
		t.Error("the replica served although it is behind")
	}
	exec(t, behind, `SELECT pg_wal_replay_resume()`)
	for !list(t.Context()) { // until it has followed
	}

	err = reader.transact(t.Context(), org, func(tx *sqlx.Tx) error {
		if list(context.WithValue(t.Context(), txKey{}, ongoing{tx, tenantOf(org)})) {
			t.Error("the replica served within a transaction")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}

	proxy.Set(faultproxy.Silent)
	start := time.Now()
	if list(t.Context()) || time.Since(start) > RequestTimeout {
		t.Errorf("a silent replica was awaited for %s", time.Since(start))
	}
	if reader.replica.usable(t.Context()) {
		t.Error("it is asked again at once")
	}
	proxy.Set(faultproxy.None)
	reader.replica.resting.Store(0)
	for !list(t.Context()) {
		reader.replica.resting.Store(0) // connections that were silent stay so
	}
}

// TestEveryListedActionIsAnnounced, by which a replica is known to be
// fresh.
func TestEveryListedActionIsAnnounced(t *testing.T) {
	t.Parallel()
	for _, a := range []shipments.Action{
		shipments.Create, shipments.Import, shipments.Update, shipments.AttachDocument, shipments.DeleteDocument,
		shipments.Approve, shipments.Reject, shipments.Delete,
		shipments.ReprocessDocument, shipments.ProcessDocument, shipments.FailDocument,
	} {
		for _, before := range shipments.Statuses {
			for _, after := range shipments.Statuses {
				if len(shipments.Announce(shipments.Entry{Action: a}, before, shipments.Shipment{Status: after}, nil)) == 0 {
					t.Errorf("%s from %s to %s is not", a, before, after)
				}
			}
		}
	}
}
