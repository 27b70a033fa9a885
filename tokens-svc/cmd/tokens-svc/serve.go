package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/tokens-svc/internal/metrics"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

type serve struct{}

func (serve) Help() string {
	return `Serves pages and the management API at LISTEN_ADDRESS, and gateways, health
and metrics at INNER_ADDRESS, until SIGTERM or SIGINT. It
starts without Postgres and is ready when Postgres is available.`
}

func (serve) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ, config.Database, config.Peppers, config.Gateways, config.Callers,
		config.Pages, config.Permissions)
	if err != nil {
		return err
	}
	log := newLogger(p.stderr, cfg.LogLevel)
	if cfg.Demo {
		log.Warn("development mode: accepts the public demo secrets", "setting", "QUAYSIDE_DEMO")
	}
	database, sending, listening := outage.New(log, "Postgres"), outage.New(log, "sending traces"),
		outage.New(log, "listening for changes")
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session(), database.Note)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	traces, err := tracing.Start(ctx, "tokens-svc", sending.Note)
	if err != nil {
		return err
	}
	defer traces.Close(ctx)

	repo := postgres.NewRepository(db)
	staff := newPeople(cfg, db, log)
	service := tokens.NewService(repo, tokens.Config{
		Peppers: cfg.Peppers, Permissions: cfg.Catalogue, MaxActive: int(cfg.MaxActiveTokens), Made: staff.NotifyMade,
	})
	counted := metrics.New(db.DB)
	for _, journal := range []*outage.Journal{database, sending, listening} {
		counted.Watch(journal)
	}
	pepperCount := tokens.NewPepperCount(repo.LiveTokensByPepper, cfg.Peppers)
	notifier := postgres.NewNotifier(cfg.DirectURL())
	defer inBackground(ctx, func(ctx context.Context) {
		notifier.Run(ctx, listening.Note) // meanwhile they are looked for
	})()
	feed := transport.NewFeed(service, notifier.Wait, counted.StreamOpened, log)
	wiring := transport.Config{Timeout: postgres.RequestTimeout, Observe: counted.Introspected}
	ready := func(ctx context.Context) error {
		if err := repo.Ready(ctx); err != nil {
			return err
		}
		counts, err := pepperCount.Counts(ctx)
		counted.LiveTokens(counts)
		return errors.Join(err, cfg.Peppers.Missing(counts))
	}
	pages, sessions, err := newPages(cfg, staff, db, service, log)
	if err != nil {
		return err
	}
	defer inBackground(ctx, func(ctx context.Context) { maintain(ctx, db, staff, log) })()
	return servicekit.Run(ctx, servicekit.Service{
		Name: "tokens-svc", ListenAddress: cfg.ListenAddress, InnerAddress: cfg.InnerAddress,
		GatewayKeys: cfg.CallerKeys, GatewayIssuer: cfg.GatewayIssuer, Debug: cfg.DebugEndpoints,
		Log: log, Metrics: counted.Metrics, Tracer: traces.Tracer(), Ready: ready, Drain: feed.Close,
		Public: func(v *assertion.Verifier) http.Handler {
			api := v.Guard(log, transport.Public(service, wiring, log))
			return public(api, v.GuardPages(log, pages, http.HandlerFunc(refusePage)))
		},
		Internal: map[string]http.Handler{
			transport.InternalPath: transport.Internal(service, feed, sessions, wiring, cfg.Gateways, log),
		},
	})
}

// inBackground runs work until the function it returns is called, which waits
// for its end.
func inBackground(ctx context.Context, work func(context.Context)) (stop func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}
