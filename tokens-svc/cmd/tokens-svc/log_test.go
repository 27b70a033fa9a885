package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
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

func TestTheLogHasALevel(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	log := newLogger(&out, slog.LevelWarn)
	log.Info("quiet")
	log.Warn("loud")
	if text := out.String(); strings.Contains(text, "quiet") || !strings.Contains(text, `"msg":"loud"`) {
		t.Errorf("%s", text)
	}
}

// TestTheReasonOfNotBeingReadyIsLoggedOnce, and again when it is another.
func TestTheReasonOfNotBeingReadyIsLoggedOnce(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	errs := []error{
		errors.New("3 live tokens"), errors.New("3 live tokens"), errors.New("2 live tokens"),
		fmt.Errorf("count: %w", tokens.ErrUnavailable), nil,
	}
	ready := loggedOnce(slog.New(slog.NewJSONHandler(&out, nil)), func(context.Context) error {
		err := errs[0]
		errs = errs[1:]
		return err
	})
	for range len(errs) {
		want := errs[0]
		if err := ready(t.Context()); !errors.Is(err, want) {
			t.Errorf("%v, want %v", err, want)
		}
	}
	for reason, n := range map[string]int{"3 live tokens": 1, "2 live tokens": 1, "count": 0} {
		if got := strings.Count(out.String(), reason); got != n {
			t.Errorf("%s: %d lines, want %d, in\n%s", reason, got, n, out.String())
		}
	}
}
