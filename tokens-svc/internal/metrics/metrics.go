// Package metrics is the program's Prometheus metrics. No label
// carries a token, an organization or an address, so the number of series does
// not grow with the number of customers.
package metrics

import (
	"database/sql"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// Metrics is one program's metrics.
type Metrics struct {
	*metrics.Metrics

	introspections *prometheus.CounterVec
	streams        prometheus.Gauge
}

// New returns metrics in a registry of their own, with those of the Go runtime,
// the process and the pool of connections to Postgres.
func New(pool *sql.DB) *Metrics {
	m := &Metrics{
		Metrics: metrics.New("tokens"),
		introspections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_tokens_introspections_total",
			Help: "Introspections, by result: active, expired, revoked, mismatch, unknown, malformed, no_pepper, " +
				"unavailable, canceled, refused, error.",
		}, []string{"result"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "quayside_tokens_change_streams",
			Help: "How many followers of the changes of tokens are connected.",
		}),
	}
	m.MustRegister(m.introspections, m.streams, collectors.NewDBStatsCollector(pool, "tokens"))
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
