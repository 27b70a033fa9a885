package postgres

import (
	"context"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
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
