package tokengate

import (
	"context"
	"errors"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestResponsesAreCountedByClassAndKindAndServerErrorsLoggedAsErrors(t *testing.T) {
	t.Parallel()

	core, log := observer.New(zapcore.InfoLevel)
	g := &Gate{access: zap.New(core)}
	for _, tt := range []struct {
		status int
		vars   map[string]any
		want   responseKind
		level  zapcore.Level
	}{
		{200, nil, responseKind{2, defaultKind}, zapcore.InfoLevel},
		{499, map[string]any{kindVar: "test"}, responseKind{4, "test"}, zapcore.InfoLevel},
		{500, map[string]any{kindVar: "test"}, responseKind{5, "test"}, zapcore.ErrorLevel},
		{600, map[string]any{kindVar: "test"}, responseKind{6, "test"}, zapcore.ErrorLevel},
	} {
		g.note(&responseWriter{status: tt.status, vars: tt.vars})
		if lines := log.TakeAll(); len(lines) != 1 || lines[0].Level != tt.level {
			t.Errorf("%d: logged %v", tt.status, lines)
		}
		if (*responseSeconds.known.Load())[tt.want] == nil {
			t.Errorf("%d is not counted as %v", tt.status, tt.want)
		}
	}
	if (*responseSeconds.known.Load())[responseKind{2, ""}] != nil {
		t.Error("a request without a kind is counted apart")
	}
}

func TestDecisionsAreCountedByWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()

	for want, tt := range map[string]struct {
		allowed, shadow bool
		err             error
	}{
		"allowed":     {true, false, nil},
		"refused":     {false, false, nil},
		"shadowed":    {false, true, nil},
		"unavailable": {false, false, ratelimit.ErrUnavailable},
		"abandoned":   {false, false, errors.Join(context.Canceled)},
	} {
		g := &Gate{enforced: enforcement{shadow: tt.shadow}}
		g.decided("test of "+want, ratelimit.Result{Allowed: tt.allowed, Source: "test"}, tt.err)
		if (*decisions.known.Load())[decision{"test of " + want, want, "test"}] == nil {
			t.Errorf("a request is not counted as %s", want)
		}
	}
}
