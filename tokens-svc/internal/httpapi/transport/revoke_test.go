package transport_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestATokenIsRevokedOnce(t *testing.T) {
	t.Parallel()
	m := manage(t)
	token, secret := m.create(t, nil)
	path := fmt.Sprintf("/api/v1/tokens/%s/revoke", token.ID)
	first := m.do(t, http.MethodPost, path, `{"reason":"laptop lost"}`)
	if got := read(t, first, http.StatusOK).Token; got.Status != "revoked" || got.RevokedReason != "laptop lost" {
		t.Errorf("%+v", got)
	}
	m.now = m.now.Add(time.Hour)
	for _, body := range []string{"", `{}`, `{"reason":"other"}`} {
		if again := m.do(t, http.MethodPost, path, body); again.Body.String() != first.Body.String() {
			t.Errorf("again: %s, want %s", again.Body, first.Body)
		}
	}
	wantBody(t, m.introspect(t, formOf(secret), nil), `{"active":false,"reason":"revoked"}`)
}

// TestRevocationListsDescendants, down to the last grandchild and also those of a predecessor, and ends them if that is
// asked for.
func TestRevocationListsDescendants(t *testing.T) {
	t.Parallel()
	m := manage(t)
	parent, _ := m.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	other, _ := m.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	child := func(of tokens.Token) tokens.Token {
		made := read(t, m.send(t, of, http.MethodPost, "/api/v1/tokens",
			`{"token":{"name":"ERP","permissions":["admin"]}}`), http.StatusCreated).Token
		return tokens.Token{ID: made.ID, Organization: of.Organization, Permissions: of.Permissions}
	}
	kept, first := child(other), child(parent)
	all := []tokens.Token{first, child(first)}
	next := read(t, m.send(t, parent, http.MethodPost, "/api/v1/token/rotate", ""), http.StatusCreated).Token
	path := "/api/v1/tokens/" + string(next.ID) + "/revoke"
	for _, step := range []struct {
		body   string
		active int
		status string
	}{
		{"", 2, "active"},
		{`{"reason":"lost","children":false}`, 2, "active"},
		{`{"reason":"lost","children":true}`, 0, "revoked"},
		{`{}`, 0, "revoked"},
	} {
		res := m.do(t, http.MethodPost, path, step.body)
		var got struct {
			ActiveChildren *int `json:"active_children"`
		}
		if err := json.Unmarshal(res.Body.Bytes(), &got); err != nil || res.Code != http.StatusOK ||
			got.ActiveChildren == nil || *got.ActiveChildren != step.active {
			t.Errorf("%s: %d %s, %v", step.body, res.Code, res.Body, err)
		}
		for _, token := range all {
			if found := read(t, m.do(t, http.MethodGet, "/api/v1/tokens/"+string(token.ID), ""),
				http.StatusOK).Token; found.Status != step.status {
				t.Errorf("%s: a child is %s, want %s", step.body, found.Status, step.status)
			}
		}
	}
	if got, err := m.service.Token(t.Context(), org, kept.ID); err != nil || !got.RevokedAt.IsZero() {
		t.Errorf("another's child is %+v, %v", got, err)
	}
	wantProblem(t, m.do(t, http.MethodPost, path, `{"children":"yes"}`),
		http.StatusUnprocessableEntity, "validation_failed")
}

// TestARepeatedRevocationIsReplayed, and revokes children that were left.
func TestARepeatedRevocationIsReplayed(t *testing.T) {
	t.Parallel()
	m := manage(t)
	parent, _ := m.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	child := read(t, m.send(t, parent, http.MethodPost, "/api/v1/tokens", ciToken), http.StatusCreated).Token.ID
	path, body := "/api/v1/tokens/"+string(parent.ID)+"/revoke", `{"reason":"lost","children":true}`
	for i := range 3 {
		res := m.repeat(t, m.token, "k", path, body)
		got := read(t, res, http.StatusOK).Token
		if replayed := res.Header().Get("Idempotency-Replayed"); (replayed == "true") != (i > 0) ||
			got.Status != "revoked" || got.RevokedReason != "lost" {
			t.Errorf("answer %d: replayed %q, %+v", i, replayed, got)
		}
	}
	if got, err := m.service.Token(t.Context(), org, child); err != nil || got.RevokedAt.IsZero() {
		t.Errorf("the child: %+v, %v", got, err)
	}
	wantProblem(t, m.repeat(t, m.token, "k", path, `{"reason":"stolen"}`),
		http.StatusUnprocessableEntity, "idempotency_key_reused")
	res := m.repeat(t, m.token, "new", path, body)
	if read(t, res, http.StatusOK); res.Header().Get("Idempotency-Replayed") != "" {
		t.Error("a new key is replayed")
	}
}
