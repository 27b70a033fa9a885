package postgres

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"github.com/google/uuid"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/shipments/repotest"
)

// BenchmarkList lists pages of an organization with 200,000 shipments over
// two years, or BENCH_SHIPMENTS of them.
func BenchmarkList(b *testing.B) {
	n := 200_000
	if text := os.Getenv("BENCH_SHIPMENTS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	dsn := pgtestDSN(b)
	org := repotest.Org()
	filler := oneConn(b, dsn)
	fill(b, filler, uuid.UUID(org), n, 730)
	exec(b, filler, `VACUUM ANALYZE`)
	repo := NewRepository(openAt(b, dsn))
	for name, page := range map[string]struct {
		status shipments.Status
		offset int
	}{
		"first":           {"", 0},
		"middle":          {"", n / 2},
		"last":            {"", n - 25},
		"last of status":  {shipments.Approved, n/5 - 25},
		"after the end":   {"", 2 * n},
		"first of status": {shipments.Pending, 0},
	} {
		b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := repo.List(b.Context(), org, page.status, int64(page.offset), 25); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCreate creates shipments of one organization and day at once, the
// worst case for its counters.
func BenchmarkCreate(b *testing.B) {
	repo := NewRepository(openTest(b))
	org := repotest.Org()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := repo.Create(b.Context(), org, repotest.Shipment(shipments.Pending, repotest.Noon)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
