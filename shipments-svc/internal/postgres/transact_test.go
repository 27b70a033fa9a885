package postgres

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestATransactionThatOutlastsItsRequestIsUnavailable, also if nothing but the
// commit is left to do when the request's time is over.
func TestATransactionThatOutlastsItsRequestIsUnavailable(t *testing.T) {
	t.Parallel()
	repo, _ := newTest(t)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	err := repo.transact(ctx, NewOrg(), "test", func(tx *sqlx.Tx) error {
		var err error
		for err == nil { // until it was rolled back
			_, err = tx.ExecContext(context.WithoutCancel(ctx), `SELECT 1`)
		}
		return nil
	})
	if !postgres.Unavailable(err) {
		t.Errorf("%v", err)
	}
}

// TestAnOrganizationWaitsWithoutConnections: what is more than its places waits, and another organization does not.
func TestAnOrganizationWaitsWithoutConnections(t *testing.T) {
	t.Parallel()
	repo, _ := newTest(t)
	busy, begun, end := NewOrg(), make(chan bool), make(chan bool)
	var running sync.WaitGroup
	for i := range 2 * postgres.MaxConns {
		org := busy
		if i%2 == 1 { // its test data has no places of its own
			org[0] |= 0xe0
		}
		running.Go(func() {
			err := repo.transact(context.WithoutCancel(t.Context()), org, "test", func(*sqlx.Tx) error {
				begun <- true
				<-end
				return nil
			})
			if err != nil && !errors.Is(err, limit.ErrShare) {
				t.Error(err)
			}
		})
	}
	for range places.Each {
		<-begun
	}
	if _, err := repo.Head(t.Context(), NewOrg(), shipments.ID{}); !errors.Is(err, shipments.ErrNotFound) {
		t.Errorf("another organization: %v", err)
	}
	ended, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := repo.Head(ended, busy, shipments.ID{}); !errors.Is(err, limit.ErrShare) {
		t.Errorf("the busy organization: %v", err)
	}
	go func() {
		for range begun { // those that got a place meanwhile
		}
	}()
	close(end)
	running.Wait()
	close(begun)
}

// TestATaskIsDoneOnceADay by all replicas together.
func TestATaskIsDoneOnceADay(t *testing.T) {
	t.Parallel()
	r, _ := newTest(t)
	for i, want := range []bool{true, false, false, true, false} {
		at := Noon.Add(time.Duration(i) * 8 * time.Hour)
		if due, err := r.Daily(t.Context(), "task", at); err != nil || due != want {
			t.Errorf("after %d hours: %t (%v)", i*8, due, err)
		}
	}
}
