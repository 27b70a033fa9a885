package main

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// eventMetrics feeds the metrics of events and of webhooks. Their labels are
// bounded: how attempts end.
type eventMetrics struct {
	count    prometheus.Counter
	lag      prometheus.Histogram
	attempts *prometheus.HistogramVec
	due      prometheus.Gauge
}

func observeEvents(metrics prometheus.Registerer) eventMetrics {
	m := eventMetrics{
		count: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "quayside_shipments_events_numbered_total",
			Help: "How many events got their numbers.",
		}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "quayside_shipments_event_lag_seconds",
			Help:    "How long events waited for their numbers, the oldest of each batch.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300},
		}),
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "quayside_shipments_webhook_attempt_seconds",
			Help:    "How long attempts to deliver a webhook took, by how they ended.",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
		}, []string{"outcome"}),
		due: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "quayside_shipments_webhooks_due",
			Help: "How many webhooks are to be delivered now, up to 10,000; of all replicas together.",
		}),
	}
	metrics.MustRegister(m.count, m.lag, m.attempts, m.due)
	for _, outcome := range webhooks.Outcomes {
		m.attempts.WithLabelValues(string(outcome))
	}
	return m
}

func (m eventMetrics) numbered(n int, waited time.Duration) {
	m.count.Add(float64(n))
	m.lag.Observe(waited.Seconds())
}

func (m eventMetrics) attempted(outcome webhooks.Outcome, took time.Duration) {
	m.attempts.WithLabelValues(string(outcome)).Observe(took.Seconds())
}

func (m eventMetrics) overdue(n int) { m.due.Set(float64(n)) }
