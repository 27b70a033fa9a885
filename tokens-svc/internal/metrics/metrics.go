// Package metrics holds what the program counts, for Prometheus. No label
// carries a token, an organization or an address, so the number of series does
// not grow with the number of customers.
package metrics

import (
	"database/sql"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// Metrics is one program's metrics.
type Metrics struct {
	registry *prometheus.Registry
	calls    *prometheus.HistogramVec
	streams  prometheus.Gauge
}

// New returns metrics in a registry of their own, with those of the Go runtime,
// the process and the pool of connections to Postgres. dropped returns how many
// log lines are lost.
func New(pool *sql.DB, dropped func() int64) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "tokens_endpoint_seconds",
			Help: "How long calls took, by endpoint and result. " +
				"An introspection's result is what it found: active, expired, revoked, mismatch, altered, unknown, malformed, no_pepper.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2},
		}, []string{"endpoint", "result"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "tokens_change_streams",
			Help: "How many followers of the changes of tokens are connected.",
		}),
	}
	m.registry.MustRegister(m.calls, m.streams,
		prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "tokens_log_lines_dropped_total",
			Help: "Log lines that are lost because nobody took them.",
		}, func() float64 { return float64(dropped()) }),
		collectors.NewDBStatsCollector(pool, "tokens"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Observe notes a call that has ended.
func (m *Metrics) Observe(endpoint, result string, took time.Duration) {
	m.calls.WithLabelValues(endpoint, result).Observe(took.Seconds())
}

// StreamOpened notes that somebody follows the changes, until the function it
// returns is called.
func (m *Metrics) StreamOpened() (closed func()) {
	m.streams.Inc()
	return m.streams.Dec
}

// Gatherer returns what /metrics shows.
func (m *Metrics) Gatherer() prometheus.Gatherer { return m.registry }
