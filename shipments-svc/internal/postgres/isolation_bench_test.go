package postgres

import (
	"context"
	"database/sql/driver"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// bare is a connector on whose connections no transaction is begun, so that
// each statement runs by itself, as the login role.
type bare struct{ driver.Connector }

func (c bare) Connect(ctx context.Context) (driver.Conn, error) {
	inner, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return bareConn{inner.(postgres.Conn)}, nil
}

type bareConn struct{ postgres.Conn }

func (c bareConn) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return c, nil }
func (c bareConn) Commit() error                                                { return nil }
func (c bareConn) Rollback() error                                              { return nil }

func openBare(b *testing.B, dsn string) *Repository {
	b.Helper()
	db, err := postgres.Open(
		dsn, postgres.Options{Prepare: true, Wrap: func(c driver.Connector, _ string) driver.Connector { return bare{c} }},
	)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = db.Close() })
	return NewRepository(db)
}

// BenchmarkRowLevelSecurity runs methods of one statement without and with row-level
// security, in turns, and reports how many times as long the latter take.
func BenchmarkRowLevelSecurity(b *testing.B) {
	dsn := pgtestDSN(b)
	org := repotest.Org()
	fill(b, oneConn(b, dsn), uuid.UUID(org), 1000, 10)
	exec(b, operator(b, dsn), `VACUUM ANALYZE`)
	one, two := openBare(b, dsn), NewRepository(openAt(b, dsn))
	page, _, err := two.List(b.Context(), org, shipments.Filter{}, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	for name, do := range map[string]func(r *Repository) error{
		"head": func(r *Repository) error { return second(r.Head(b.Context(), org, page[0].ID)) },
		"get":  func(r *Repository) error { return second(r.Get(b.Context(), org, page[0].ID)) },
		"list": func(r *Repository) error {
			_, _, err := r.List(b.Context(), org, shipments.Filter{}, 0, 25)
			return err
		},
		"create": func(r *Repository) error {
			return r.Create(b.Context(), org, repotest.Shipment(shipments.Pending, repotest.Noon), repotest.By)
		},
	} {
		b.Run(name, func(b *testing.B) {
			var took, times []float64 // of turns
			for b.Loop() {
				first, both := turn(b, one, do), turn(b, two, do)
				took, times = append(took, both.Seconds()*1e3), append(times, both.Seconds()/first.Seconds())
			}
			b.ReportMetric(median(took), "ms")
			b.ReportMetric(median(times), "times")
		})
	}
}

// turn does something several times and returns how long one took.
func turn(b *testing.B, r *Repository, do func(*Repository) error) time.Duration {
	b.Helper()
	const times = 40
	start := time.Now()
	for range times {
		if err := do(r); err != nil {
			b.Fatal(err)
		}
	}
	return time.Since(start) / times
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
