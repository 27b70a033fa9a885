package main

import (
	"io"
	"log/slog"

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
