package main

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
	"github.com/quayside/quayside/shipments-svc/internal/checks"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/documents/reader"
	"github.com/quayside/quayside/shipments-svc/internal/documents/worker"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
	"github.com/quayside/quayside/shipments-svc/internal/web"
)

// serve answers on both listeners until its context ends.
type serve struct{}

func (serve) Run(ctx context.Context, p program) (err error) {
	cfg, err := config.Load(p.environ, config.Database, config.Gateways, config.Webhooks, config.WritableStorage)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewJSONHandler(p.stderr, &slog.HandlerOptions{Level: cfg.LogLevel}))
	if cfg.Demo {
		log.Warn("development mode: accepts the public demo secrets", "setting", "QUAYSIDE_DEMO")
	}
	metrics := metrics.New("shipments")
	seen := metrics.Watch(outage.New(log, "Postgres")).Note
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session(), seen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	traces, err := tracing.Start(ctx, "shipments-svc", metrics.Watch(outage.New(log, "sending traces")).Note)
	if err != nil {
		return err
	}
	defer traces.Close(ctx)

	metrics.MustRegister(collectors.NewDBStatsCollector(db.DB, "shipments"))
	repo := postgres.NewRepository(db)
	cfg.Files.Observe(metrics.Watch(outage.New(log, "document storage")).Note)
	children, err := reader.New()
	if err != nil {
		return err
	}
	newID := func() [16]byte { return uuid.Must(uuid.NewV7()) }
	service := shipments.NewService(shipments.Needs{
		Repository: repo, Files: cfg.Files, Reader: children, Pages: children, RunChecks: checks.Run,
		NewID: func() shipments.ID { return newID() }, Now: time.Now,
	})
	hooks := webhooks.NewService(postgres.NewWebhooks(repo, cfg.SealingKeys), newID, time.Now, cfg.Demo)
	routes := transport.Config{Timeout: postgres.RequestTimeout, Failed: failures(metrics)}
	uploads := transport.NewUploads()
	sections, err := cfg.Sections()
	if err != nil {
		return err
	}
	pages, err := web.New(web.Config{
		Service: service, Webhooks: hooks, Uploads: uploads, Timeout: postgres.RequestTimeout, Now: time.Now, Log: log,
		Sections: sections,
	})
	if err != nil {
		return err
	}
	// Documents are read also while the last requests finish.
	defer background.Start(context.WithoutCancel(ctx), reading(ctx, cfg, repo, service, log, metrics)...)()
	defer background.Start(ctx, func(ctx context.Context) {
		if err := children.Prepare(ctx); err != nil && ctx.Err() == nil {
			log.Error("PDFs are read slowly or not at all", "error", err.Error())
		}
	})()
	end, err := publish(ctx, cfg, log, seen, metrics, repo)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, end()) }()
	return servicekit.Run(ctx, servicekit.Service{
		Name: "shipments-svc", ListenAddress: cfg.ListenAddress, InnerAddress: cfg.InnerAddress,
		GatewayKeys: cfg.GatewayKeys, GatewayIssuer: cfg.GatewayIssuer, Debug: cfg.DebugEndpoints,
		Log: log, Metrics: metrics, Tracer: traces.Tracer(), Ready: repo.Ready, Drain: service.Drain,
		Public: func(v *assertion.Verifier) http.Handler {
			mux := http.NewServeMux()
			mux.Handle("/", transport.New(service, hooks, uploads, routes, log))
			for _, path := range web.Paths {
				mux.Handle(path, pages)
			}
			return v.Guard(log, mux)
		},
	})
}

// reading returns what has documents read, and files without a document removed,
// as background work. Without workers there is none.
func reading(
	ctx context.Context, cfg config.Config, repo *postgres.Repository, service *shipments.Service, log *slog.Logger,
	metrics prometheus.Registerer,
) []func(context.Context) {
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "quayside_shipments_documents_waiting_seconds",
		Help: "How long the document has waited for a worker that has waited longest, of all replicas together.",
	}, scraped(ctx, repo.JobsWaiting)))
	done, sweep := jobsDone(metrics), sweepFiles(repo, cfg.Files, log, metrics)
	if cfg.DocumentWorkers == 0 {
		return nil
	}
	pool := worker.New(repo, service, repo.Queued, log, done)
	return []func(context.Context){func(ctx context.Context) { pool.Run(ctx, cfg.DocumentWorkers) }, sweep}
}

// failures returns what counts problems. The labels are bounded.
func failures(metrics prometheus.Registerer) func(operation string, err error) {
	problems := prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "shipments", Name: "problems_total",
		Help: "Requests that failed, by operation and code of the problem.",
	}, []string{"operation", "code"})
	metrics.MustRegister(problems)
	return func(operation string, err error) { problems.WithLabelValues(operation, transport.Code(err)).Inc() }
}
