package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// wantUnavailable checks that a response is 503 without a result, and has Retry-After.
func wantUnavailable(t *testing.T, res *httptest.ResponseRecorder) {
	t.Helper()
	wantProblem(t, res, http.StatusServiceUnavailable, "unavailable")
	if strings.Contains(res.Body.String(), "active") || res.Header().Get("WWW-Authenticate") != "" {
		t.Errorf("the response describes the token: %s", res.Body.String())
	}
	for name, want := range map[string]string{"Retry-After": "2", "Cache-Control": "no-store"} {
		if got := res.Header().Get(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestPostgresOutageMakesIntrospectionUnavailable: not that they are good, and above all not that they are bad.
func TestPostgresOutageMakesIntrospectionUnavailable(t *testing.T) {
	t.Parallel()
	p := over(t, "postgres://nobody@127.0.0.1:1/tokens?sslmode=disable") // where nothing listens
	wantUnavailable(t, p.introspect(t, known, nil))
	wantUnavailable(t, p.ask(t, http.MethodGet, "/api/v1/token", org, "tok_000000000001", nil))
	if log := p.log.String(); strings.Count(log, `"error":"`) != 2 || strings.Count(log, "connection refused") != 2 ||
		strings.Count(log, "\n") != 2 {
		t.Errorf("the two requests and the causes are not two lines: %s", log)
	}
	wantBody(t, p.introspect(t, "token=nonsense", nil), `{"active":false}`)
}

// known is the form of a well-formed token, for which Postgres must be asked.
const known = "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK"

// TestDeadlineIsUnavailableNotInactive, even where the repository did not recognize it.
func TestDeadlineIsUnavailableNotInactive(t *testing.T) {
	t.Parallel()
	for _, err := range []error{context.DeadlineExceeded, tokens.ErrUnavailable} {
		wantUnavailable(t, with(t, failing(err)).introspect(t, known, nil))
	}
}

// TestInternalErrorsAreLoggedAndNotReturned: clients get a fixed text, the log the cause, once.
func TestInternalErrorsAreLoggedAndNotReturned(t *testing.T) {
	t.Parallel()
	fault := failing(errors.New("column does not exist"))
	panicking := double{err: fault.err, panics: true}
	for name, s := range map[string]double{"internal_error": fault, "panic": panicking} {
		for listener, call := range map[string]func(*program) *httptest.ResponseRecorder{
			"public": func(p *program) *httptest.ResponseRecorder {
				return p.ask(t, http.MethodGet, "/api/v1/token", org, "tok_000000000001", nil)
			},
			"inner": func(p *program) *httptest.ResponseRecorder {
				return p.introspect(t, "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK", nil)
			},
		} {
			p := with(t, s)
			problem := wantProblem(t, call(p), http.StatusInternalServerError, "internal_error")
			if text := fmt.Sprint(problem); strings.Contains(text, "column") {
				t.Errorf("%s, %s: the client reads %s", name, listener, text)
			}
			if n := p.logged(t, "ERROR", name); n != 1 ||
				!strings.Contains(p.log.String(), "column does not exist") {
				t.Errorf("%s, %s: the log has %d lines about it: %s", name, listener, n, p.log)
			}
		}
	}
}

// TestCanceledRequestIsNotLoggedAsAnError: a cancellation by the client needs no action of an operator.
func TestCanceledRequestIsNotLoggedAsAnError(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, secret := p.create(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	left := func(r *http.Request) { *r = *r.WithContext(ctx) }
	p.introspect(t, formOf(secret), left)
	p.ask(t, http.MethodGet, "/api/v1/token", org, token.ID, left)
	if log := p.log.String(); strings.Contains(log, `"ERROR"`) || strings.Contains(log, `"WARN"`) ||
		strings.Count(log, `"status":499`) != 2 {
		t.Errorf("logged: %s", log)
	}
}
