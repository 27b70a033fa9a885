package main

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit/process/background"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
	"github.com/quayside/quayside/shipments-svc/internal/config"
	"github.com/quayside/quayside/shipments-svc/internal/events/dispatch"
	"github.com/quayside/quayside/shipments-svc/internal/events/outbox"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// publishConns is the size of the connection pool for numbering and delivering
// events. It is separate from the pool for requests, so that neither waits for the
// other.
const publishConns = 10

// publish numbers events and delivers them in the background. Delivery stops when
// ctx ends; numbering goes on for the last requests until end is called, which
// waits for both to finish. seen is called with each result of a statement.
func publish(
	ctx context.Context, cfg config.Config, log *slog.Logger, seen func(error), metrics *metrics.Metrics,
	repo *postgres.Repository,
) (end func() error, err error) {
	db, err := postgres.Open(cfg.DatabaseURL, cfg.Session(), seen)
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(publishConns)
	metrics.MustRegister(collectors.NewDBStatsCollector(db.DB, "shipments-events"))
	queue := postgres.NewWebhooks(repo.On(db), cfg.SealingKeys)
	metrics.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "quayside_shipments_webhooks_due",
		Help: "How many webhooks are to be delivered now, up to 10,000; of all replicas together.",
	}, scraped(ctx, func(ctx context.Context) (float64, error) { return queue.Overdue(ctx, time.Now()) })))
	numbering := outbox.New(queue, outbox.Config{
		Announced: repo.Announced, Numbered: eventsNumbered(metrics),
		Note:  unlessUnavailable(metrics.Watch(outage.New(log, "numbering events")).Note),
		Swept: unlessUnavailable(metrics.Watch(outage.New(log, "expiring events")).Note),
	})
	delivering := dispatch.New(queue, dispatch.Config{
		Client: dispatch.NewClient(dispatch.ClientConfig{Loopback: cfg.Demo}),
		Render: transport.Webhook, Notified: repo.WebhooksDue, Now: time.Now,
		Note:      unlessUnavailable(metrics.Watch(outage.New(log, "delivering webhooks")).Note),
		Attempted: webhooksAttempted(metrics),
	})
	endDelivery := background.Start(ctx, delivering.Run)
	endNumbering := background.Start(context.WithoutCancel(ctx), numbering.Run)
	return func() error {
		endDelivery()
		endNumbering()
		return db.Close()
	}, nil
}

// unlessUnavailable passes on errors except those of an outage of Postgres, which
// are logged already.
func unlessUnavailable(note func(error)) func(error) {
	return func(err error) {
		if !errors.Is(err, shipments.ErrUnavailable) {
			note(err)
		}
	}
}
