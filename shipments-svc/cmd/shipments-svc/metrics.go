package main

import (
	"context"
	"math"
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
	}
	metrics.MustRegister(m.count, m.lag, m.attempts)
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

// scrapeTimeout bounds the query of a scrape.
const scrapeTimeout = time.Second

// scraped returns a metric that each scrape reads from Postgres. It is NaN while Postgres is
// unavailable.
func scraped(name, help string, read func(context.Context) (float64, error)) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, func() float64 {
		ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
		defer cancel()
		value, err := read(ctx)
		if err != nil {
			return math.NaN()
		}
		return value
	})
}
