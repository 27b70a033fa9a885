package transport_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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

	for id, code := range map[tokens.TokenID]string{
		rotated.ID: "token_rotated",
		revoked.ID: "token_ended", expired.ID: "token_ended",
	} {
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
