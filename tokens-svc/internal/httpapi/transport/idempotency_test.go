package transport_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const ciToken = `{"token":{"name":"CI","permissions":["shipments:read"]}}`

// repeat makes a request of a token with an Idempotency-Key.
func (p *program) repeat(tb testing.TB, asking tokens.Token, key, path, body string) *httptest.ResponseRecorder {
	tb.Helper()
	return p.send(tb, asking, http.MethodPost, path, body, func(r *http.Request) { r.Header.Set("Idempotency-Key", key) })
}

// alreadyShown checks for 409 secret_already_shown and returns the token that it names.
func alreadyShown(tb testing.TB, res *httptest.ResponseRecorder) tokens.TokenID {
	tb.Helper()
	wantProblem(tb, res, http.StatusConflict, "secret_already_shown")
	var extra struct{ Token tokens.TokenID }
	if err := json.Unmarshal(res.Body.Bytes(), &extra); err != nil || !extra.Token.Valid() ||
		strings.Contains(res.Body.String(), "shpt_") {
		tb.Errorf("%s (%v), want the token's id and no secret", res.Body, err)
	}
	return extra.Token
}

// TestOneKeyMakesOneToken, however many requests have it at once.
func TestOneKeyMakesOneToken(t *testing.T) {
	t.Parallel()
	m := manage(t)
	old, _ := m.create(t, nil)
	for path, body := range map[string]string{
		"/api/v1/tokens": ciToken,
		"/api/v1/tokens/" + string(old.ID) + "/rotate": "",
		"/api/v1/token/rotate":                         `{"grace_seconds":3600}`,
	} {
		var answers [20]*httptest.ResponseRecorder
		var all sync.WaitGroup
		for i := range answers {
			all.Go(func() {
				answers[i] = m.repeat(t, m.token, "one", path, body)
				for answers[i].Code == http.StatusServiceUnavailable || answers[i].Code == http.StatusTooManyRequests {
					// too long in the queue, on a busy machine
					answers[i] = m.repeat(t, m.token, "one", path, body)
				}
			})
		}
		all.Wait()
		made, ids := 0, map[tokens.TokenID]bool{}
		for _, res := range answers {
			if res.Code == http.StatusCreated {
				made++
				ids[read(t, res, http.StatusCreated).Token.ID] = true
			} else {
				ids[alreadyShown(t, res)] = true
			}
		}
		if made > 1 || len(ids) != 1 {
			t.Errorf("%s answered 201 %d times, about %v", path, made, ids)
		}
	}
	if got := read(t, m.do(t, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK).Meta.Total; got != 5 {
		t.Errorf("there are %d tokens, want the first two and one from each path", got)
	}
}

// TestIdempotencyKeyIdentifiesOneRequest of an organization: its path and body, for 24 hours.
func TestIdempotencyKeyIdentifiesOneRequest(t *testing.T) {
	t.Parallel()
	m := manage(t)
	create := func(asking tokens.Token, key, body string) *httptest.ResponseRecorder {
		return m.repeat(t, asking, key, "/api/v1/tokens", body)
	}
	wantProblem(t, create(m.token, "k", `{"token":{"name":""}}`), http.StatusUnprocessableEntity, "validation_failed")
	first := read(t, create(m.token, "k", ciToken), http.StatusCreated).Token.ID // a refusal does not use up the key
	if got := alreadyShown(t, create(m.token, "k", ciToken)); got != first {
		t.Errorf("made %s, want %s", got, first)
	}
	wantProblem(t, create(m.token, "k", ciToken+" "), http.StatusUnprocessableEntity, "idempotency_key_reused")
	read(t, create(m.token, "K", ciToken), http.StatusCreated)

	elsewhere, _, err := m.service.CreateToken(t.Context(), tokens.Operator(), other,
		tokens.Draft{Name: "x", Permissions: []string{"admin"}})
	if err != nil {
		t.Fatal(err)
	}
	read(t, create(elsewhere, "k", ciToken), http.StatusCreated)
	test, _ := m.create(t, func(d *tokens.Draft) { d.Environment, d.Permissions = tokens.Test, []string{"admin"} })
	read(t, create(test, "k", ciToken), http.StatusCreated)
	second, _ := m.create(t, nil) // rotates itself, as the manager does with the same key
	for _, asking := range []tokens.Token{m.token, second} {
		read(t, m.repeat(t, asking, "k", "/api/v1/token/rotate", ""), http.StatusCreated)
		alreadyShown(t, m.repeat(t, asking, "k", "/api/v1/token/rotate", ""))
	}
	admin, _ := m.create(t, func(d *tokens.Draft) { d.Permissions = []string{"admin"} })
	m.now = created.Add(tokens.KeyLifetime - 1e6)
	alreadyShown(t, create(admin, "k", ciToken))
	m.now = created.Add(tokens.KeyLifetime)
	if got := read(t, create(admin, "k", ciToken), http.StatusCreated).Token.ID; got == first {
		t.Error("after 24 hours the key still names the first token")
	}
}

func TestAMalformedKeyIsRefused(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for _, values := range [][]string{{""}, {"a b"}, {"ключ"}, {"a\x7f"}, {strings.Repeat("k", 256)}, {"a", "a"}} {
		for _, path := range []string{
			"/api/v1/tokens", "/api/v1/token/rotate",
			"/api/v1/tokens/" + string(m.token.ID) + "/revoke",
		} {
			res := m.send(t, m.token, http.MethodPost, path, ciToken,
				func(r *http.Request) { r.Header["Idempotency-Key"] = values })
			p := wantProblem(t, res, http.StatusBadRequest, "invalid_header")
			if !strings.Contains(p.Detail, "Idempotency-Key") {
				t.Errorf("%q: %s", values, p.Detail)
			}
		}
	}
	read(t, m.repeat(t, m.token, strings.Repeat("~", 255), "/api/v1/tokens", ciToken), http.StatusCreated)
}
