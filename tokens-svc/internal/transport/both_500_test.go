package transport_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAFaultIsToldToOperatorsOnly: clients get a fixed text, the log the cause,
// once.
func TestAFaultIsToldToOperatorsOnly(t *testing.T) {
	t.Parallel()
	fault := failing(errors.New("column does not exist"))
	panicking := double{
		introspect: func(context.Context, tokens.Secret) (tokens.Introspection, error) { panic("column does not exist") },
		token:      func(context.Context, tokens.OrgID, tokens.TokenID) (tokens.Token, error) { panic("column does not exist") },
	}
	for name, s := range map[string]double{"error": fault, "panic": panicking} {
		for listener, call := range map[string]func(*program) *http.Response{
			"public": func(p *program) *http.Response {
				return p.ask(t, http.MethodGet, "/api/v1/token", org, "tok_000000000001", nil)
			},
			"inner": func(p *program) *http.Response {
				return p.introspect(t, "token=shpt_live_000000000001_0000000000000000000000000000000027i4HK", nil)
			},
		} {
			p := with(t, s)
			res := call(p)
			problem := wantProblem(t, res, http.StatusInternalServerError, "internal_error")
			if strings.Contains(body(t, res), "column") {
				t.Errorf("%s, %s: the client reads %s", name, listener, problem.Detail)
			}
			if n := p.log.count(t, "ERROR", "internal_error"); n != 1 || !strings.Contains(p.log.String(), "column does not exist") {
				t.Errorf("%s, %s: the log has %d lines about it: %s", name, listener, n, p.log)
			}
		}
	}
}

// TestAClientThatLeavesIsNoFault: its request was cancelled, and nobody needs
// to look into that.
func TestAClientThatLeavesIsNoFault(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, secret := p.create(t, nil)
	ctx, leave := context.WithCancel(t.Context())
	leave()
	p.introspect(t, formOf(secret), func(r *http.Request) { *r = *r.WithContext(ctx) })
	p.ask(t, http.MethodGet, "/api/v1/token", org, token.ID, func(r *http.Request) { *r = *r.WithContext(ctx) })
	if log := p.log.String(); strings.Contains(log, `"ERROR"`) || strings.Contains(log, `"WARN"`) || strings.Count(log, `"status":499`) != 2 {
		t.Errorf("logged: %s", log)
	}
}
