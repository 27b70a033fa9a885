package transport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestIdentityIsRequired: such a request did not come through the
// gateway.
func TestIdentityIsRequired(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for name, change := range map[string]func(http.Header){
		"no organization":        func(h http.Header) { h.Del("X-Organization-ID") },
		"malformed organization": func(h http.Header) { h.Set("X-Organization-ID", "org_1") },
		"two organizations":      func(h http.Header) { h.Add("X-Organization-ID", string(other)) },
		"no token":               func(h http.Header) { h.Del("X-Token-ID") },
		"malformed token":        func(h http.Header) { h.Set("X-Token-ID", "root") },
		"no permissions":         func(h http.Header) { h.Del("X-Token-Permissions") },
	} {
		res := p.ask(t, http.MethodGet, "/api/v1/token", org, "tok_000000000001", func(r *http.Request) { change(r.Header) })
		wantProblem(t, res, http.StatusUnauthorized, "missing_identity")
		if got := res.Header().Get("WWW-Authenticate"); got != `Bearer realm="shipments"` {
			t.Errorf("%s: WWW-Authenticate: %s", name, got)
		}
	}
}

// TestEndedTokensAreRejectedImmediately: the gateway may accept a token for some
// seconds after its end; here it ends at once. And where the gateway names
// another organization than the token's, the request is refused.
func TestEndedTokensAreRejectedImmediately(t *testing.T) {
	t.Parallel()
	p := start(t)
	good, _ := p.create(t, nil)
	revoked, _ := p.create(t, nil)
	p.revoke(t, revoked.ID)
	expired, _ := p.create(t, func(d *tokens.Draft) { d.ExpiresAt = p.now.Add(1e9) })
	p.now = expired.ExpiresAt

	var bodies []string
	for name, c := range map[string]struct {
		org tokens.OrgID
		id  tokens.TokenID
	}{
		"revoked":                  {org, revoked.ID},
		"expired":                  {org, expired.ID},
		"unknown":                  {org, "tok_000000000001"},
		"malformed":                {org, "tok_"},
		"of another organization":  {other, good.ID},
		"of no organization known": {"org_00000000000000000000000000", good.ID},
	} {
		res := p.ask(t, http.MethodGet, "/api/v1/token", c.org, c.id, nil)
		wantProblem(t, res, http.StatusUnauthorized, "invalid_token")
		if got := res.Header().Get("WWW-Authenticate"); got != `Bearer realm="shipments", error="invalid_token"` {
			t.Errorf("%s: WWW-Authenticate: %s", name, got)
		}
		bodies = append(bodies, res.Body.String())
	}
	for _, b := range bodies {
		if b != bodies[0] {
			t.Errorf("refusals can be distinguished:\n%s%s", bodies[0], b)
		}
	}
	if strings.Contains(p.log.String(), `"ERROR"`) {
		t.Errorf("refusals are logged as faults: %s", p.log)
	}
}
