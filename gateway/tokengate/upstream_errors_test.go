package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/quayside/quayside/gateway/upstream"
)

// through returns a request that its route sends to a service.
func through(ctx context.Context, service string) *http.Request {
	vars := map[string]any{upstream.ServiceVar: service}
	return httptest.NewRequest(http.MethodGet, "/", http.NoBody).WithContext(context.WithValue(ctx, caddyhttp.VarsCtxKey,
		vars))
}

// However many requests meet it: what single requests met is in the access log.
func TestAServiceThatFailsIsOneLineForEachService(t *testing.T) {
	t.Parallel()

	core, log := observer.New(zap.InfoLevel)
	b := &upstreamErrors{logger: zap.New(core)}
	refused := caddyhttp.Error(http.StatusBadGateway, errors.New("dial tcp: connection refused"))
	for range 10 {
		for _, service := range []string{"shipments-svc:8081", "tokens-svc:8082"} {
			r := through(t.Context(), service)
			b.succeeded(r)
			if reason := b.failed(r, problemOf(refused), refused); reason != "dial tcp: connection refused" {
				t.Errorf("the error in the access log is %q", reason)
			}
			b.succeeded(through(t.Context(), "another:80"))
		}
		large := caddyhttp.Error(http.StatusRequestEntityTooLarge, errors.New("too large"))
		b.failed(through(t.Context(), "large:80"), problemOf(large), large)
	}
	lines := log.All()
	if len(lines) != 2 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	for i, service := range []string{"shipments-svc:8081", "tokens-svc:8082"} {
		fields := lines[i].ContextMap()
		if lines[i].Message != "service fails" || fields["service"] != service ||
			fields["error"] != "upstream_unreachable: dial tcp: connection refused" {
			t.Errorf("%s %v", lines[i].Message, fields)
		}
	}
}

// An error quotes what it could not read, which may be a piece of an answer with a secret in it.
func TestReasonsRepeatNoUnparsedInput(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		`dial tcp 127.0.0.1:8081: connect: connection refused`: `dial tcp 127.0.0.1:8081: connect: connection refused`,
		`malformed HTTP response "{\"token\":\"shpt_live_x\""`: `malformed HTTP response "…"`,
		`malformed HTTP status code "se\\" and "cret"`:         `malformed HTTP status code "…" and "…"`,
	} {
		if got := reasonOf(caddyhttp.Error(http.StatusBadGateway, errors.New(text))); got != want {
			t.Errorf("%s becomes %s", text, got)
		}
	}
}

func TestOnlyServerErrorsAreFailuresOfAService(t *testing.T) {
	t.Parallel()

	u := &upstreamErrors{logger: zap.NewNop()}
	for status, want := range map[int]string{499: "", 500: "broken"} {
		if got := u.failed(through(t.Context(), "status:80"), problem{Status: status, Code: "x"},
			errors.New("broken")); got != want {
			t.Errorf("%d: %q", status, got)
		}
	}
}
