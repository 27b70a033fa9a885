package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAlteredTokensCanOnlyBeRevoked: the client reads what to do, and the log has
// the reason.
func TestAlteredTokensCanOnlyBeRevoked(t *testing.T) {
	t.Parallel()
	m := manage(t)
	token, secret := m.create(t, nil)
	exec(t, m.dsn, `UPDATE api_tokens SET bounds_mac = sha256('another') WHERE id = $1`, token.ID)
	for n, c := range []struct{ method, path, body string }{
		{http.MethodPatch, "", `{"token":{"name":"new"}}`},
		{http.MethodPost, "/rotate", ""},
	} {
		problem := wantProblem(t, m.do(t, c.method, "/api/v1/tokens/"+string(token.ID)+c.path, c.body), http.StatusConflict, "token_altered")
		if !strings.Contains(problem.Detail, string(token.ID)) || !strings.Contains(problem.Detail, "revoke it") || strings.Contains(problem.Detail, "MAC") {
			t.Errorf("%s %s: %s", c.method, c.path, problem.Detail)
		}
		if got := m.log.count(t, "ERROR", "token_altered"); got != n+1 || !strings.Contains(m.log.String(), "its bounds do not have their MAC") {
			t.Errorf("the log has %d lines about it: %s", got, m.log)
		}
	}
	wantProblem(t, m.send(t, token, http.MethodPost, "/api/v1/token/rotate", ""), http.StatusUnauthorized, "invalid_token")
	if res := m.introspect(t, formOf(secret), nil); strings.TrimSpace(res.Body.String()) != `{"active":false}` {
		t.Errorf("%s", res.Body)
	}
	if got := read(t, m.do(t, http.MethodPost, "/api/v1/tokens/"+string(token.ID)+"/revoke", ""), http.StatusOK).Token; got.Status != "revoked" {
		t.Errorf("%+v", got)
	}
}

// TestEndedTokensCannotBeChanged: a rotated token names its successor, for
// programs as well.
func TestEndedTokensCannotBeChanged(t *testing.T) {
	t.Parallel()
	m := manage(t)
	rotated, _ := m.create(t, nil)
	next := read(t, m.do(t, http.MethodPost, "/api/v1/tokens/"+string(rotated.ID)+"/rotate", ""), http.StatusCreated).Token
	revoked, _ := m.create(t, nil)
	m.revoke(t, revoked.ID)
	expired, _ := m.create(t, func(d *tokens.Draft) { d.ExpiresAt = m.now.Add(1e9) })
	m.now = expired.ExpiresAt

	for id, code := range map[tokens.TokenID]string{rotated.ID: "token_rotated", revoked.ID: "token_ended", expired.ID: "token_ended"} {
		for _, c := range []struct{ method, path, body string }{
			{http.MethodPost, "/rotate", ""},
			{http.MethodPatch, "", `{"token":{"name":"new"}}`},
		} {
			res := m.do(t, c.method, "/api/v1/tokens/"+string(id)+c.path, c.body)
			problem := wantProblem(t, res, http.StatusConflict, code)
			var extra struct{ Successor tokens.TokenID }
			if err := json.Unmarshal(res.Body.Bytes(), &extra); err != nil {
				t.Fatal(err)
			}
			if code == "token_ended" {
				if extra.Successor != "" || res.Header().Get("Link") != "" {
					t.Errorf("%s has a successor: %s", id, res.Body)
				}
				continue
			}
			if extra.Successor != next.ID || !strings.Contains(problem.Detail, string(next.ID)) ||
				res.Header().Get("Link") != `</api/v1/tokens/`+string(next.ID)+`>; rel="successor-version"` {
				t.Errorf("%s %v", res.Body, res.Header())
			}
		}
	}
}
