package postgres

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// BenchmarkQueues measures what looks at all organizations at once, beside 10 of them and beside 10,000: each has a
// document that waits for a retry and an endpoint with a delivery to come, of which none, one or all are due.
func BenchmarkQueues(b *testing.B) {
	for _, organizations := range []int{10, 10_000} {
		repo, admin := newTest(b)
		w := NewWebhooks(repo, sealing.Keys{})
		exec(b, admin, `SET session_replication_role = replica`) // their shipments and documents are not needed
		exec(b, admin, `CREATE TABLE made AS SELECT gen_random_uuid() AS org FROM generate_series(1, $1)`, organizations)
		exec(b, admin, `INSERT INTO jobs SELECT org, org, org, 1, 0, now() + interval '1 day' FROM made`)
		exec(b, admin, `INSERT INTO webhook_endpoints (organization_id, id, url, description, event_types, status, secret,
			created_at, updated_at) SELECT org, org, '', '', '{}', 'enabled', '', now(), now() FROM made`)
		exec(b, admin, `INSERT INTO webhook_deliveries (organization_id, endpoint_id, event_id, status, due_at, created_at)
			SELECT org, org, org, 'pending', now() + interval '1 day', now() FROM made`)
		for _, due := range []int{0, 1, organizations} {
			exec(b, admin, `UPDATE jobs SET claimable_at = now() - interval '1 second'
				WHERE organization_id IN (SELECT org FROM made ORDER BY org DESC LIMIT $1)`, due)
			exec(b, admin, `UPDATE webhook_deliveries SET due_at = now() - interval '1 second'
				WHERE organization_id IN (SELECT org FROM made ORDER BY org DESC LIMIT $1)`, due)
			exec(b, admin, `VACUUM ANALYZE`)
			b.Run(fmt.Sprintf("documents/organizations=%d/due=%d", organizations, due), func(b *testing.B) {
				for b.Loop() {
					j, err := repo.Claim(b.Context(), shipments.Lease(uuid.New()), shipments.Turn{})
					if err == nil {
						err = repo.Release(b.Context(), j, -time.Second)
					}
					if err != nil && !errors.Is(err, shipments.ErrNoJob) {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("deliveries/organizations=%d/due=%d", organizations, due), func(b *testing.B) {
				for b.Loop() {
					if _, _, err := w.Due(b.Context(), webhooks.EndpointKey{}, time.Now(), 200); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
