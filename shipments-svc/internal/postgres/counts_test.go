package postgres

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestCountersAreExactUnderConcurrentWrites lets creates and moves
// between statuses run into each other, and compares every counter with a
// count of the rows, by day and by month.
func TestCountersAreExactUnderConcurrentWrites(t *testing.T) {
	t.Parallel()
	repo, db := newTest(t)
	orgs := []shipments.OrgID{NewOrg(), NewOrg()}
	day := time.Date(2026, 11, 18, 23, 59, 59, 999e6, time.UTC)
	var wg sync.WaitGroup
	for worker := range 8 {
		random := rand.New(rand.NewPCG(3, uint64(worker)))
		wg.Go(func() {
			for range 25 {
				org := orgs[random.IntN(len(orgs))]
				s := NewShipment(shipments.Pending, day.AddDate(0, random.IntN(2), random.IntN(3)))
				if err := repo.Create(t.Context(), org, s, Someone); err != nil {
					t.Error(err)
				}
				if err := repo.Create(t.Context(), org, s, Someone); err == nil {
					t.Error("a shipment was stored twice")
				}
				if err := moveSome(t, repo, org, random); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()

	for table, period := range map[string]string{"shipment_counts": "day", "shipment_months": "month"} {
		rows := fmt.Sprintf(`SELECT organization_id, coalesce(status, '') AS status, period, count(*) AS n
			FROM (SELECT *, date_trunc('%s', created_at AT TIME ZONE 'UTC')::date AS period FROM shipments) s
			GROUP BY organization_id, period, ROLLUP (status)`, period)
		counters := fmt.Sprintf(
			`SELECT organization_id, status, %s, sum(n)::bigint AS n FROM %s GROUP BY 1, 2, 3 HAVING sum(n) <> 0`, period, table,
		)
		var wrong, negative int
		if err := db.GetContext(t.Context(), &wrong, fmt.Sprintf(
			`SELECT count(*) FROM ((%[1]s EXCEPT %[2]s) UNION ALL (%[2]s EXCEPT %[1]s)) d`, rows, counters)); err != nil ||
			wrong != 0 {
			t.Errorf("%s: %d counters differ from the rows (%v)", table, wrong, err)
		}
		if err := db.GetContext(t.Context(), &negative, `SELECT count(*) FROM `+table+` WHERE n < 0`); err != nil ||
			negative != 0 {
			t.Errorf("%s: %d counters are negative (%v)", table, negative, err)
		}
	}
}

// moveSome moves a shipment to another status, unless another worker did so at the same time.
func moveSome(t *testing.T, repo *Repository, org shipments.OrgID, random *rand.Rand) error {
	t.Helper()
	all, _, err := repo.List(t.Context(), org, shipments.Filter{}, int64(random.IntN(8)), 6)
	for _, from := range all {
		to := from
		to.Status = shipments.Statuses[random.IntN(len(shipments.Statuses))]
		to.Version, to.ApprovedAt = from.Version+1, time.Time{}
		if to.Status == shipments.Approved {
			to.ApprovedAt = to.CreatedAt
		}
		entry := shipments.Entry{Version: to.Version, At: Noon, Action: shipments.Update, Status: to.Status}
		revised := repo.Revise(t.Context(), org, shipments.Revision{From: from, To: to, Entry: entry})
		if revised != nil && !errors.Is(revised, shipments.ErrVersion) {
			return revised
		}
	}
	return err
}
