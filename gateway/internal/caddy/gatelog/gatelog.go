// Package gatelog has the gate's logger in the present configuration, for what outlives one.
package gatelog

import (
	"context"
	"log/slog"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
	"go.uber.org/zap/exp/zapslog"
)

// Slog writes to that logger.
var Slog = slog.New(handler{})

// Zap returns that logger.
func Zap() *zap.Logger { return caddy.Log().Named("http.handlers.token_gate") }

// handler hands records to the logger of the moment.
type handler struct {
	slog.Handler // the rest of the interface; never called
}

// Enabled implements slog.Handler.
func (handler) Enabled(context.Context, slog.Level) bool { return true }

// Handle implements slog.Handler.
func (handler) Handle(ctx context.Context, record slog.Record) error {
	logger := Zap()
	to := zapslog.NewHandler(logger.Core(), zapslog.WithName(logger.Name()))
	if !to.Enabled(ctx, record.Level) {
		return nil
	}
	return to.Handle(ctx, record)
}
