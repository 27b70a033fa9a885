package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// newLogger returns a logger of JSON lines. Nothing in this program logs a
// token; but others put them where they do not belong, into a path or a header,
// so what looks like one is cut down in every line.
func newLogger(w io.Writer, level slog.Level) *slog.Logger {
	return slog.New(slog.NewJSONHandler(w, &slog.HandlerOptions{Level: level, ReplaceAttr: scrub}))
}

func scrub(_ []string, a slog.Attr) slog.Attr {
	switch value := a.Value.Any().(type) {
	case string:
		a.Value = slog.StringValue(tokens.Scrub(value))
	case error:
		a.Value = slog.StringValue(tokens.Scrub(value.Error()))
	}
	return a
}

// loggedOnce returns ready, which logs the reason when it is another than that of
// the call before, but not that Postgres is away.
func loggedOnce(log *slog.Logger, ready func(context.Context) error) func(context.Context) error {
	var mu sync.Mutex
	var last string
	return func(ctx context.Context) error {
		err := ready(ctx)
		mu.Lock()
		defer mu.Unlock()
		reason := ""
		if err != nil && !errors.Is(err, tokens.ErrUnavailable) && ctx.Err() == nil {
			reason = err.Error()
		}
		if reason != "" && reason != last {
			log.WarnContext(ctx, "not ready", "error", reason)
		}
		last = reason
		return err
	}
}
