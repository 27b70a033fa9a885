package main

import (
	"context"
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/documents/worker"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// eventsNumbered returns what feeds the metrics of events that got their numbers.
func eventsNumbered(metrics prometheus.Registerer) func(n int, waited time.Duration) {
	count := prometheus.NewCounter(prometheus.CounterOpts{
		Name: "quayside_shipments_events_numbered_total",
		Help: "How many events got their numbers.",
	})
	lag := prometheus.NewHistogram(prometheus.HistogramOpts{
		Name:    "quayside_shipments_event_lag_seconds",
		Help:    "How long events waited for their numbers, the oldest of each batch.",
		Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15, 60, 300},
	})
	metrics.MustRegister(count, lag)
	return func(n int, waited time.Duration) {
		count.Add(float64(n))
		lag.Observe(waited.Seconds())
	}
}

// webhooksAttempted returns what feeds the metric of attempts.
func webhooksAttempted(metrics prometheus.Registerer) func(webhooks.Outcome, time.Duration) {
	return durations(metrics, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "quayside_shipments_webhook_attempt_seconds",
		Help:    "How long attempts to deliver a webhook took, by how they ended.",
		Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 15},
	}, []string{"outcome"}), webhooks.Outcomes...)
}

// jobsDone returns what feeds the metric of documents that were read.
func jobsDone(metrics prometheus.Registerer) worker.Done {
	return durations[worker.Outcome](metrics, prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "quayside_shipments_job_seconds",
		Help:    "How long workers had documents to read, by what became of that.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"outcome"}))
}

// durations returns what feeds a metric by outcome, which are few. Some are shown before there are any.
func durations[Outcome ~string](
	metrics prometheus.Registerer, seconds *prometheus.HistogramVec, shown ...Outcome,
) func(Outcome, time.Duration) {
	metrics.MustRegister(seconds)
	for _, outcome := range shown {
		seconds.WithLabelValues(string(outcome))
	}
	return func(outcome Outcome, took time.Duration) {
		seconds.WithLabelValues(string(outcome)).Observe(took.Seconds())
	}
}

// scrapeTimeout bounds the query of a scrape.
const scrapeTimeout = time.Second

// scraped returns the function of a metric that each scrape reads from Postgres. It is NaN
// while Postgres is unavailable.
func scraped(ctx context.Context, read func(context.Context) (float64, error)) func() float64 {
	return func() float64 {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), scrapeTimeout)
		defer cancel()
		value, err := read(ctx)
		if err != nil {
			return math.NaN()
		}
		return value
	}
}
