package ratelimit_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// BenchmarkTake also reports round trips and script calls per request.
func BenchmarkTake(b *testing.B) {
	plenty := ratelimit.Quota{Limit: 1_000_000, Window: time.Hour}
	for _, bench := range []struct {
		name        string
		tokens      int
		quota       ratelimit.Quota
		callers     int // for each processor
		writeBehind bool
	}{
		{"one at a time", 1000, plenty, 0, false},
		{"hot token", 1, plenty, 100, false},
		{"1000 tokens", 1000, plenty, 100, false},
		{"1000 addresses write-behind", 1000, plenty, 100, true},
		{"empty window", 1, ratelimit.Quota{Limit: 1, Window: time.Hour}, 100, false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			client, err := ratelimit.NewClient(redistest.URL(b))
			if err != nil {
				b.Fatal(err)
			}
			b.Cleanup(func() { _ = client.Close() })
			limiter, seen := ratelimit.New(client, deny), countTraffic(client)
			count := limiter.Take
			if bench.writeBehind {
				count = limiter.TakeWriteBehind
			}
			ids := make([]string, bench.tokens)
			for i := range ids {
				ids[i] = ratelimit.TokenID()
			}
			var next, faults atomic.Int64
			take := func() {
				if _, err := count(b.Context(), ids[int(next.Add(1))%len(ids)], bench.quota); err != nil {
					faults.Add(1)
				}
			}
			b.ReportAllocs()
			if bench.callers == 0 {
				for b.Loop() {
					take()
				}
			} else {
				b.SetParallelism(bench.callers)
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						take()
					}
				})
			}
			n := float64(next.Load())
			b.ReportMetric(float64(seen.scripts.Load())/n, "scripts/op")
			b.ReportMetric(float64(seen.roundTrips.Load())/n, "trips/op")
			b.ReportMetric(float64(faults.Load())/n, "faults/op")
		})
	}
}
