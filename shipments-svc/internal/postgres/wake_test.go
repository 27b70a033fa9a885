package postgres

import (
	"context"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/faultproxy"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestAJobWakesWhoWaits, in every program and after Postgres was away.
func TestAJobWakesWhoWaits(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	proxy, through := faultproxy.New(t, postgrestest.Direct(dsn))
	repo := NewRepository(openAt(t, dsn))
	ctx, cancel := context.WithCancel(t.Context())
	rung, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		Listen(ctx, through, JobsChannel, rung)
		close(done)
	}()
	wakes := func() {
		t.Helper()
		for { // until it listens
			repotest.Queued(t, repo, repotest.Org())
			select {
			case <-rung:
				return
			default:
			}
		}
	}
	wakes()
	proxy.Set(faultproxy.Refused)
	proxy.Set(faultproxy.None)
	<-rung // it was connected anew, and may have missed something
	wakes()
	cancel()
	<-done
	if _, err := repo.Claim(t.Context(), shipments.Lease{1}, shipments.Turn{}); err != nil {
		t.Error(err)
	}
}
