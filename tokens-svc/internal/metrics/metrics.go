// Package metrics is the program's Prometheus metrics. No label
// carries a token, an organization or an address, so the number of series does
// not grow with the number of customers.
package metrics

import (
	"database/sql"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// Metrics is one program's metrics.
type Metrics struct {
	*metrics.Metrics

	introspections *prometheus.CounterVec
	streams        prometheus.Gauge
	live           *prometheus.GaugeVec
}

// New returns metrics in a registry of their own, with those of the Go runtime,
// the process and the pool of connections to Postgres.
func New(pool *sql.DB) *Metrics {
	m := &Metrics{
		Metrics: metrics.New("tokens"),
		introspections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_tokens_introspections_total",
			Help: "Introspections, by result: active, expired, revoked, mismatch, unknown, malformed, no_pepper, " +
				"unavailable, canceled, error.",
		}, []string{"result"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "quayside_tokens_change_streams",
			Help: "How many followers of the changes of tokens are connected.",
		}),
		live: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_tokens_live_tokens",
			Help: "Tokens that are neither revoked nor expired, by the pepper version that they need.",
		}, []string{"pepper_version"}),
	}
	m.MustRegister(m.introspections, m.streams, m.live, collectors.NewDBStatsCollector(pool, "tokens"))
	return m
}

// Introspected counts an introspection by its result.
func (m *Metrics) Introspected(result string) { m.introspections.WithLabelValues(result).Inc() }

// StreamOpened counts a follower of the changes, until the function it returns
// is called.
func (m *Metrics) StreamOpened() (closed func()) {
	m.streams.Inc()
	return m.streams.Dec
}

// LiveTokens sets how many tokens need each version of the pepper.
func (m *Metrics) LiveTokens(counts map[int]int) {
	for version, n := range counts {
		m.live.WithLabelValues(strconv.Itoa(version)).Set(float64(n))
	}
}
