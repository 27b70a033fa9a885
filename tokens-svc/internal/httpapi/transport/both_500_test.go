package transport_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestInternalErrorsAreLoggedAndNotReturned: clients get a fixed text, the log the cause,
// once.
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
			if n := p.log.count(t, "ERROR", name); n != 1 ||
				!strings.Contains(p.log.String(), "column does not exist") {
				t.Errorf("%s, %s: the log has %d lines about it: %s", name, listener, n, p.log)
			}
		}
	}
}

// TestCanceledRequestIsNotLoggedAsAnError: a cancellation by the client
// needs no action of an operator.
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
