package main

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/sweeper"
	"github.com/quayside/quayside/shipments-svc/internal/documents/worker"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// reading returns what has documents read, and files without a document removed,
// as background work. Without workers there is none.
func reading(
	ctx context.Context, cfg config.Config, repo *postgres.Repository, service *shipments.Service,
	files shipments.Files, log *slog.Logger, metrics prometheus.Registerer,
) []func(context.Context) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "quayside_shipments_documents_waiting_seconds",
		Help: "How long the document has waited for a worker that has waited longest, of all replicas together.",
	}, scraped(ctx, repo.JobsWaiting)))
	done, swept := jobsDone(metrics), filesSwept(log, metrics)
	if cfg.DocumentWorkers == 0 {
		return nil
	}
	pool := worker.New(repo, service, repo.Queued, log, done)
	return []func(context.Context){
		func(ctx context.Context) { pool.Run(ctx, cfg.DocumentWorkers) },
		func(ctx context.Context) { sweeper.Run(ctx, repo, files, swept) },
	}
}

// jobsDone returns what feeds the metric of documents that were read.
func jobsDone(metrics prometheus.Registerer) worker.Done {
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name:    "quayside_shipments_job_seconds",
		Help:    "How long workers had documents to read, by what became of that.",
		Buckets: []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60},
	}, []string{"outcome"})
	metrics.MustRegister(seconds)
	return func(outcome worker.Outcome, took time.Duration) {
		seconds.WithLabelValues(string(outcome)).Observe(took.Seconds())
	}
}
