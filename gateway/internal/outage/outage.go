// Package outage makes servicekit's journals of outages write to Caddy's log.
package outage

import (
	"context"
	"log/slog"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

// Journal logs the outages of one dependency as two lines each.
type Journal = outage.Journal

// Log returns the gate's logger in the present configuration; journals outlive theirs.
func Log() *zap.Logger { return caddy.Log().Named("http.handlers.token_gate") }

// New returns a journal of the dependency with that name.
func New(name string) *Journal { return outage.New(slog.New(handler{}), name) }

// handler hands records to the logger of the moment.
type handler struct {
	slog.Handler // the rest of the interface; never called
}

// Enabled implements slog.Handler.
func (handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (handler) Handle(ctx context.Context, record slog.Record) error {
	logger := Log()
	to := zapslog.NewHandler(logger.Core(), zapslog.WithName(logger.Name()))
	if !to.Enabled(ctx, record.Level) {
		return nil
	}
	return to.Handle(ctx, record)
}
