package main

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestLogRedactsTokens wherever in a line they stand.
func TestLogRedactsTokens(t *testing.T) {
	t.Parallel()
	const token = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	var out strings.Builder
	log := newLogger(&out, slog.LevelDebug)
	log.Debug("read "+token, "header", token, "error", errors.New("no host "+token),
		slog.Group("request", slog.String("path", "/"+token)), "bytes", 61)
	log.With("token", token).Warn("attribute of the logger")
	if text := out.String(); strings.Contains(text, "Qm3pXv9K") ||
		strings.Count(text, "shpt_live_4fZyo82mVyR1_…") != 5 ||
		!strings.Contains(text, `"bytes":61`) {
		t.Errorf("%s", text)
	}
}
