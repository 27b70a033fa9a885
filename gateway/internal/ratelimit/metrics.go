package ratelimit

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The collectors belong to the process, whatever Limiters come and go.
var (
	circuitBreakersOpen = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "redis_breaker_open",
		Help: "1 while Redis is left alone because it failed, and windows are decided without it.",
	})
	clockSkewSeconds = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "redis_clock_skew_seconds",
		Help: "How far Redis's clock, which windows follow, is ahead of this machine's.",
	})
	flushSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_trip_seconds",
		Help:    "Time of a round trip to Redis, failed ones included.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1},
	})
	flushCalls = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_trip_calls",
		Help:    "Script calls, one for each window, in a round trip to Redis.",
		Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512},
	})
	flushRequests = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_trip_requests",
		Help:    "Requests counted in a round trip to Redis.",
		Buckets: []float64{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048},
	})
)

// Collectors returns the metrics of all Limiters of the process. None has a label.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{circuitBreakersOpen, clockSkewSeconds, flushSeconds, flushCalls, flushRequests}
}

func observeFlush(batch []*batchEntry, took time.Duration) {
	requests := 0
	for _, o := range batch {
		requests += o.requests
	}
	flushSeconds.Observe(took.Seconds())
	flushCalls.Observe(float64(len(batch)))
	flushRequests.Observe(float64(requests))
}
