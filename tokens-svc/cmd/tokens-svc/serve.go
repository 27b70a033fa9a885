package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit"
	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
	"github.com/quayside/quayside/tokens-svc/internal/config"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/tokens-svc/internal/people/oidc"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/web"
)

type serve struct{}

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
	metrics := metrics.New("tokens")
	watching := metrics.Watch(outage.New(log, "Postgres")).Note
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session(), watching)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = db.Close() }()
	// No client may delay introspections, the change stream and readiness.
	criticalDB, err := postgres.Open(cfg.DatabaseURL, cfg.Session(), watching)
	if err != nil {
		return fmt.Errorf("DATABASE_URL: %w", err)
	}
	defer func() { _ = criticalDB.Close() }()
	criticalDB.SetMaxOpenConns(5)
	traces, err := tracing.Start(ctx, "tokens-svc", metrics.Watch(outage.New(log, "sending traces")).Note)
	if err != nil {
		return err
	}
	defer traces.Close(ctx)

	s := newServices(cfg, db, log, time.Now)
	critical := newServices(cfg, criticalDB, log, time.Now)
	counted := newCounters(metrics)
	metrics.MustRegister(collectors.NewDBStatsCollector(db.DB, "tokens"),
		collectors.NewDBStatsCollector(criticalDB.DB, "tokens, critical"),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quayside_tokens_backup_timestamp_seconds",
			Help: "When a backup was last completed, in seconds since 1970; 0 if none was, or while Postgres is unavailable.",
		}, s.repo.LastBackup),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "quayside_tokens_archive_failing_seconds",
			Help: "For how long Postgres has failed to archive its log; 0 without an archive or while Postgres is unavailable.",
		}, s.repo.ArchiveFailing))
	listening := metrics.Watch(outage.New(log, "listening for changes"))
	notifier := postgres.NewNotifier(cfg.DirectURL())
	feed := transport.NewFeed(critical.tokens, notifier.Next, counted.streamOpened, log)
	wiring := transport.Config{Timeout: postgres.RequestTimeout, Observe: counted.introspected}
	ready := func(ctx context.Context) error {
		if err := critical.repo.Ready(ctx); err != nil {
			return err
		}
		needed, err := critical.repo.NeededPeppers(ctx)
		counted.peppersNeeded(cfg.Peppers, needed)
		return errors.Join(err, cfg.Peppers.Missing(needed))
	}
	sessions := session.New(postgres.NewSessions(db, time.Now), cfg.Public.Scheme == "https")
	pages, err := newPages(cfg, s, sessions, log)
	if err != nil {
		return err
	}
	defer s.people.Wait() // after the last request, and before db is closed
	pruned := func(err error) {
		if err != nil {
			log.Warn("expired rows were not removed, or notices not stored", "error", err)
		}
	}
	mailing := metrics.Watch(outage.New(log, "sending mail"))
	defer background.Start(context.WithoutCancel(ctx), func(ctx context.Context) {
		notifier.Run(ctx, listening.Note) // meanwhile changes are looked for
	}, func(ctx context.Context) {
		background.Repeat(ctx, 10*time.Minute, nil, pruned, func(ctx context.Context) error {
			return errors.Join(s.repo.Prune(ctx, time.Now()), s.people.NotifyExpiring(ctx))
		})
	}, func(ctx context.Context) {
		background.Repeat(ctx, time.Second, nil, func(error) {}, func(ctx context.Context) error {
			n, err := s.people.Deliver(ctx) // the mail that is being sent is completed
			if n > 0 || err != nil {
				mailing.Note(err)
			}
			return nil
		})
	})()
	return servicekit.Run(ctx, servicekit.Service{
		Name: "tokens-svc", ListenAddress: cfg.ListenAddress, InnerAddress: cfg.InnerAddress,
		GatewayKeys: cfg.CallerKeys, GatewayIssuer: cfg.GatewayIssuer, Debug: cfg.DebugEndpoints,
		Log: log, Metrics: metrics, Tracer: traces.Tracer(), Ready: ready, Drain: feed.Close,
		Public: func(v *assertion.Verifier) http.Handler {
			api := v.Guard(log, transport.Public(s.tokens, wiring, log))
			return public(api, v.GuardPages(log, pages, http.HandlerFunc(notThroughGateway.Write)))
		},
		InternalAddress: cfg.GatewaysAddress,
		Internal: transport.Internal(s.tokens, critical.tokens, feed, transport.Sessions{
			People: s.people, Sessions: sessions, Permissions: s.tokens.Permissions(), Passwords: cfg.Passwords(),
		}, wiring, cfg.Gateways, log),
	})
}

// newPages returns the handler of the pages.
func newPages(cfg config.Config, s services, sessions *session.Manager, log *slog.Logger) (http.Handler, error) {
	sections, err := cfg.Sections()
	if err != nil {
		return nil, err
	}
	c := web.Config{
		People: s.people, Tokens: s.tokens, Sessions: sessions,
		Passwords: cfg.Passwords(), PublicURL: cfg.Public, Timeout: postgres.RequestTimeout, Log: log,
		Sections: sections,
	}
	if cfg.OIDCIssuer != "" {
		c.Issuer = oidc.New(oidc.Config{
			Issuer: cfg.OIDCIssuer, ClientID: cfg.OIDCClientID, ClientSecret: cfg.OIDCClientSecret,
			RedirectURL: cfg.Public.JoinPath("/sign-in/callback").String(), VerifiedClaim: cfg.OIDCVerifiedClaim,
		})
	}
	return web.New(c), nil
}

// notThroughGateway answers a request for a page that did not come through the gateway.
var notThroughGateway = problem.New(http.StatusUnauthorized, "missing_identity", "Missing identity",
	"pages are served through the gateway only; open the gateway's address instead")

// public separates pages from the API. It does not clean paths.
func public(api, pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for _, root := range []string{"/sign-in", "/settings"} {
			if r.URL.Path == root || strings.HasPrefix(r.URL.Path, root+"/") {
				pages.ServeHTTP(w, r)
				return
			}
		}
		api.ServeHTTP(w, r)
	})
}

type migrate struct {
	Direction string `arg:"" enum:"up,down,status" help:"up, down or status."`
	Yes       bool   `help:"Let down revert the first migration, which drops every table with all data."`
}

func (c migrate) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ, config.Database)
	if err != nil {
		return err
	}
	direction := c.Direction
	if c.Yes {
		direction += " --yes"
	}
	err = postgres.Migrate(ctx, cfg.DirectURL(), direction, p.stdout)
	if err != nil || c.Direction != "up" || cfg.ServeLogin == "" {
		return err
	}
	return postgres.Grant(ctx, cfg.DirectURL(), cfg.ServeLogin)
}

type health struct{}

func (health) Run(ctx context.Context, p program) error {
	cfg, err := config.Load(p.environ)
	if err != nil {
		return err
	}
	return httpserver.Check(ctx, cfg.InnerAddress)
}
