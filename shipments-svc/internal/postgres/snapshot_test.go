package postgres

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestPagesOfASnapshotAreTheRowsWhileOthersWrite: while shipments are created,
// imported, moved between statuses and deleted, a transaction that keeps seeing
// one state lists all pages of it. Put together they are its rows, in order,
// none twice and none left out; and every page's total is their number.
func TestPagesOfASnapshotAreTheRowsWhileOthersWrite(t *testing.T) {
	t.Parallel()
	repo, _ := newTest(t)
	org := NewOrg()
	var done atomic.Bool
	var writers sync.WaitGroup
	for worker := range 4 {
		random := rand.New(rand.NewPCG(9, uint64(worker)))
		writers.Go(func() {
			for !done.Load() {
				if err := writeSome(t.Context(), repo, org, random); err != nil && !errors.Is(err, shipments.ErrVersion) {
					t.Error(err)
					return
				}
			}
		})
	}
	totals := map[int64]bool{}
	for len(totals) < 12 && !t.Failed() {
		totals[comparePages(t, repo, org)] = true
	}
	done.Store(true)
	writers.Wait()
}

// writeSome creates a shipment, imports two, or deletes one of the newest or
// moves it to another status. They are of the ends of two months.
func writeSome(ctx context.Context, repo *Repository, org shipments.OrgID, random *rand.Rand) error {
	at := func() time.Time {
		return time.Date(2026, 10, 30+random.IntN(4), 23*random.IntN(2), 0, 0, 0, time.UTC)
	}
	status := func() shipments.Status { return shipments.Statuses[random.IntN(len(shipments.Statuses))] }
	rows, _, err := repo.List(ctx, org, shipments.Filter{}, int64(random.IntN(20)), 1)
	if err != nil {
		return err
	}
	switch what := random.IntN(8); {
	case what < 3 || len(rows) == 0:
		return repo.Create(ctx, org, NewShipment(shipments.Pending, at()), Someone)
	case what < 4:
		return repo.Create(ctx, org, NewShipment(status(), at()), Someone)
	case what < 6:
		return repo.Delete(ctx, org, rows[0], shipments.Entry{Action: shipments.Delete, At: Noon, By: Someone})
	default:
		to := rows[0]
		to.Status, to.Version, to.ApprovedAt = status(), to.Version+1, time.Time{}
		if to.Status == shipments.Approved {
			to.ApprovedAt = Noon
		}
		return repo.Revise(ctx, org, shipments.Revision{From: rows[0], To: to, Entry: shipments.Entry{
			Version: to.Version, At: Noon, By: Someone, Action: shipments.Update, Status: to.Status,
		}})
	}
}

// comparePages compares all pages of one state with its rows, and returns how
// many shipments there are in it.
func comparePages(t *testing.T, repo *Repository, org shipments.OrgID) int64 {
	t.Helper()
	var shown int64
	if err := repo.transact(t.Context(), org, "test", func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(t.Context(), `SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`); err != nil {
			return err
		}
		ctx := within(t.Context(), org, tx)
		for _, status := range append([]shipments.Status{""}, shipments.Statuses...) {
			var want, got []uuid.UUID
			if err := tx.SelectContext(ctx, &want, `
				SELECT id FROM shipments WHERE organization_id = $1 AND ($2 = '' OR status = $2)
				ORDER BY created_at DESC, id DESC`, uuid.UUID(org), string(status)); err != nil {
				return err
			}
			for offset := int64(0); offset <= int64(len(want)); offset += 7 {
				page, total, err := repo.List(ctx, org, shipments.Filter{Status: status}, offset, 7)
				if err != nil {
					return err
				}
				if total != int64(len(want)) {
					t.Errorf("status %q: total %d of %d", status, total, len(want))
				}
				for _, s := range page {
					got = append(got, uuid.UUID(s.ID))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("status %q: the pages have %d shipments that are not the %d there are", status, len(got), len(want))
			}
			if status == "" {
				shown = int64(len(want))
			}
		}
		return nil
	}); err != nil {
		t.Error(err)
	}
	return shown
}
