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
		labels [2]string
		level  zapcore.Level
	}{
		{200, nil, [2]string{"2xx", defaultKind}, zapcore.InfoLevel},
		{499, map[string]any{kindVar: "test"}, [2]string{"4xx", "test"}, zapcore.InfoLevel},
		{500, map[string]any{kindVar: "test"}, [2]string{"5xx", "test"}, zapcore.ErrorLevel},
		{600, map[string]any{kindVar: "test"}, [2]string{"other", "test"}, zapcore.ErrorLevel},
	} {
		(&exchange{gate: g, status: tt.status, vars: tt.vars}).note()
		if lines := log.TakeAll(); len(lines) != 1 || lines[0].Level != tt.level {
			t.Errorf("%d: logged %v", tt.status, lines)
		}
		if !responseSeconds.DeleteLabelValues(tt.labels[:]...) {
			t.Errorf("%d is not counted as %v", tt.status, tt.labels)
		}
	}
	if responseSeconds.DeleteLabelValues("2xx", "") {
		t.Error("a request without a kind is counted apart")
	}
}

func TestDecisionsAreCountedByWhatBecameOfTheRequest(t *testing.T) {
	t.Parallel()

	for want, tt := range map[string]struct {
		allowed bool
		err     error
	}{
		"allowed":     {true, nil},
		"refused":     {false, nil},
		"unavailable": {false, ratelimit.ErrUnavailable},
		"abandoned":   {false, errors.Join(context.Canceled)},
	} {
		decided(ratelimit.State{
			Window: ratelimit.Window{Policy: "test of " + want}, Allowed: tt.allowed, Source: "test",
		}, tt.err)
		if !windowDecisionsTotal.DeleteLabelValues("test of "+want, want, "test") {
			t.Errorf("a request is not counted as %s", want)
		}
	}
}
