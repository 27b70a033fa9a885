package dispatch_test

import (
	"net/http"
	"testing"
	"time"
)

// BenchmarkDeliveries delivers to one receiver, which responds at once or after 50
// ms.
func BenchmarkDeliveries(b *testing.B) {
	for name, takes := range map[string]time.Duration{"at once": 0, "after 50 ms": 50 * time.Millisecond} {
		b.Run(name, func(b *testing.B) {
			w := newWorld(b)
			in := newInbox(b, func(int, http.ResponseWriter) { time.Sleep(takes) })
			w.endpoint(b, in.URL)
			w.happen(b, min(b.N, 1000))
			for n := 1000; n < b.N; n += 1000 {
				w.happen(b, min(b.N-n, 1000))
			}
			b.ResetTimer()
			w.dispatch(b, w.queue, 10*time.Second)
			eventually(b, "all", func() bool { return in.count() >= b.N })
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "deliveries/s")
		})
	}
}
