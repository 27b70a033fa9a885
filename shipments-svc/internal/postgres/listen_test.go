package postgres

import (
	"context"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres/proxytest"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// TestAJobNotifiesListeners, also after a reconnection.
func TestAJobNotifiesListeners(t *testing.T) {
	t.Parallel()
	dsn := pgtestDSN(t)
	proxy, through := proxytest.New(t, postgrestest.Direct(dsn))
	repo := NewRepository(openAt(t, dsn))
	ctx, cancel := context.WithCancel(t.Context())
	notified, done := make(chan struct{}, 1), make(chan struct{})
	go func() {
		Listen(ctx, through, JobsChannel, notified)
		close(done)
	}()
	notifies := func() {
		t.Helper()
		for { // until it listens
			repotest.Queued(t, repo, repotest.Org())
			select {
			case <-notified:
				return
			default:
			}
		}
	}
	notifies()
	proxy.Stop()
	if err := proxy.Start(); err != nil {
		t.Fatal(err)
	}
	<-notified // it has reconnected and may have missed a notification
	notifies()
	cancel()
	<-done
	if _, err := repo.Claim(t.Context(), shipments.Lease{1}, shipments.Turn{}); err != nil {
		t.Error(err)
	}
}
