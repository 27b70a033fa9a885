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
	after, later, before := repotest.Noon.AddDate(
		0, 0, -700,
	), repotest.Noon.AddDate(
		0, 0, -60,
	), repotest.Noon.AddDate(
		0, 0, -30,
	)
	for name, page := range map[string]struct {
		shipments.Filter
		offset int
	}{
		"first":                    {shipments.Filter{}, 0},
		"middle":                   {shipments.Filter{}, n / 2},
		"last":                     {shipments.Filter{}, n - 25},
		"last of status":           {shipments.Filter{Status: shipments.Approved}, n/5 - 25},
		"after the end":            {shipments.Filter{}, 2 * n},
		"first of status":          {shipments.Filter{Status: shipments.Pending}, 0},
		"created":                  {shipments.Filter{CreatedAfter: &after, CreatedBefore: &before}, n / 2},
		"created in 30 days":       {shipments.Filter{CreatedAfter: &later, CreatedBefore: &before}, n / 50},
		"created, of status":       {shipments.Filter{Status: shipments.Approved, CreatedAfter: &after}, n / 10},
		"of reference":             {shipments.Filter{Reference: "PO-1000"}, 0},
		"first with pass":          {shipments.Filter{CheckResult: shipments.Pass}, 0},
		"last with pass":           {shipments.Filter{CheckResult: shipments.Pass}, n - 25},
		"last with pass of status": {shipments.Filter{CheckResult: shipments.Pass, Status: shipments.Approved}, n/5 - 25},
		"last with fail":           {shipments.Filter{CheckResult: shipments.Fail}, n/100 - 25},
	} {
		b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
			for b.Loop() {
				if _, _, err := repo.List(b.Context(), org, page.Filter, int64(page.offset), 25); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkGet reads one shipment with its parts.
func BenchmarkGet(b *testing.B) {
	dsn := pgtestDSN(b)
	org := repotest.Org()
	fill(b, oneConn(b, dsn), uuid.UUID(org), 1000, 10)
	repo := NewRepository(openAt(b, dsn))
	page, _, err := repo.List(b.Context(), org, shipments.Filter{}, 0, 1)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := repo.Get(b.Context(), org, page[0].ID); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkCreate creates shipments of one organization and day at once, the
// worst case for its counters.
func BenchmarkCreate(b *testing.B) {
	repo, _ := newTest(b)
	org := repotest.Org()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			if err := repo.Create(b.Context(), org, repotest.Shipment(shipments.Pending, repotest.Noon), repotest.By); err != nil {
				b.Fatal(err)
			}
		}
	})
}
