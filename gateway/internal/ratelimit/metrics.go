package ratelimit

import "github.com/prometheus/client_golang/prometheus"

// The collectors belong to the process; Limiters come and go.
var (
	circuitBreakersOpen = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "redis_circuit_breaker_open",
		Help: "Circuit breakers for Redis that are open: windows are decided without Redis.",
	})
	clockSkewSeconds = prometheus.NewGauge(prometheus.GaugeOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "redis_clock_skew_seconds",
		Help: "Difference between Redis's clock, which windows follow, and this machine's; positive if Redis is ahead.",
	})
	flushSeconds = prometheus.NewHistogram(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_flush_seconds",
		Help:    "Duration of a flush to Redis, including failed ones.",
		Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1},
	})
)

// Collectors returns the metrics of all Limiters of the process. None has a label.
func Collectors() []prometheus.Collector {
	return []prometheus.Collector{circuitBreakersOpen, clockSkewSeconds, flushSeconds}
}
