package transport_test

import (
	"database/sql"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"strings"
	"testing"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestNoPieceOfASecretIsLeft follows tokens through their life and then looks for eight characters in a row of their
// secrets: in every row of the database, in the log at debug level, and in every answer.
func TestNoPieceOfASecretIsLeft(t *testing.T) {
	t.Parallel()
	p := start(t)
	manager, managerSecret := p.create(t, func(d *tokens.Draft) {
		d.Permissions, d.ExpiresAt = []string{"admin"}, time.Time{}
	})
	var answers strings.Builder
	keep := func(res *httptest.ResponseRecorder) {
		dump, err := httputil.DumpResponse(res.Result(), true)
		if err != nil {
			t.Fatal(err)
		}
		answers.Write(dump)
	}
	live := func(secret tokens.Secret) {
		text := secret.Reveal()
		for _, form := range []string{
			formOf(secret), "token=" + text[:60], "token=" + text + "x",
			"token=" + text + "&token=" + text, text, "token=%zz" + text,
		} {
			keep(p.introspect(t, form, nil))
		}
		keep(p.introspect(t, formOf(secret), func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+text) }))
		keep(p.introspect(t, formOf(secret), func(r *http.Request) {
			r.Method, r.URL.RawQuery = http.MethodGet, formOf(secret)
		}))
		keep(p.introspect(t, formOf(secret), func(r *http.Request) { r.Header.Set("Content-Type", text) }))
		keep(p.ask(t, http.MethodGet, "/api/v1/token?token="+text, org, secret.ID(), nil))
		keep(p.ask(t, http.MethodGet, "/api/v1/token", org, secret.ID(), func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer "+text)
			r.Header.Set("X-Request-ID", text)
		}))
		// A user may send the token in place of its id, or in the wrong field.
		for _, path := range []string{"/api/v1/tokens/" + text, "/api/v1/tokens/" + text + "/revoke", "/lost/" + text} {
			keep(p.send(t, manager, http.MethodGet, path, ""))
			keep(p.send(t, manager, http.MethodPost, path, ""))
		}
		for _, body := range []string{
			`{"token":{"name":"` + text + `","permissions":["` + text + `"],"ip_allow":["` + text +
				`"],"environment":"` + text + `"}}`,
			`{"token":{"` + text + `":1}}`, `{"` + text + `":1,"` + text + `":2}`, `"` + text,
		} {
			keep(p.send(t, manager, http.MethodPost, "/api/v1/tokens", body))
			keep(p.send(t, manager, http.MethodPatch, "/api/v1/tokens/"+string(secret.ID()), body))
		}
		keep(p.send(t, manager, http.MethodPost, "/api/v1/tokens/"+string(secret.ID())+"/revoke", `{"reason":"`+text+`"}`))
		keep(p.send(t, manager, http.MethodGet, "/api/v1/tokens?"+text+"="+text, ""))
		keep(p.send(t, manager, http.MethodGet, "/api/v1/tokens", ""))
		keep(p.send(t, manager, http.MethodGet, "/api/v1/tokens/"+string(secret.ID()), ""))
		keep(p.send(t, manager, http.MethodGet, "/api/v1/audit-events", ""))
		keep(p.report(t, reports(`{"token":"`+text+`","last_used_at":"`+text+`","address":"`+text+`"}`), nil))
		keep(p.changes(t, "?after="+text))
	}

	// making takes the secret out of the one answer in which it may be, once.
	making := func(path, body string) tokens.Secret {
		res := p.send(t, manager, http.MethodPost, path, body)
		secret := parsed(t, read(t, res, http.StatusCreated).Token.Secret)
		before, after, _ := strings.Cut(res.Body.String(), secret.Reveal())
		answers.WriteString(before + after)
		return secret
	}
	made := making("/api/v1/tokens", `{"token":{"name":"ERP","permissions":["shipments:read"]}}`)
	next := making("/api/v1/tokens/"+string(made.ID())+"/rotate", "")

	first, firstSecret := p.create(t, nil)
	second, secondSecret := p.create(t, func(d *tokens.Draft) { d.ExpiresAt = p.now.Add(time.Minute) })
	_, wrongSecret := p.create(t, nil)
	exec(t, p.dsn, `UPDATE api_tokens SET mac = sha256('another') WHERE id = $1`, wrongSecret.ID())
	secrets := []tokens.Secret{firstSecret, secondSecret, wrongSecret, managerSecret, made, next}
	for _, s := range secrets {
		live(s)
	}
	p.revoke(t, first.ID)
	p.now = second.ExpiresAt
	for _, s := range secrets {
		live(s)
	}
	exec(t, p.dsn, `ALTER TABLE api_tokens RENAME TO gone`) // a fault, whose error is logged
	live(firstSecret)
	exec(t, p.dsn, `ALTER TABLE gone RENAME TO api_tokens`)

	for place, text := range map[string]string{
		"database": rows(t, p.dsn), "log": p.log.String(),
		"answers": answers.String(),
	} {
		for _, s := range secrets {
			if !strings.Contains(text, string(s.ID())) {
				t.Errorf("the %s knows nothing of %s: the search proves nothing", place, s.ID())
			}
			if piece := pieceOf(s, text); piece != "" {
				t.Errorf("%q of the secret is in the %s", piece, place)
			}
		}
	}
}

// pieceOf returns eight characters in a row of the secret that text holds.
func pieceOf(s tokens.Secret, text string) string {
	private := s.Reveal()[len("shpt_live_000000000000_"):]
	for i := range len(private) - 7 {
		if piece := private[i : i+8]; strings.Contains(text, piece) {
			return piece
		}
	}
	return ""
}

// rows returns every row of every table as text.
func rows(t *testing.T, dsn string) string {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	var tables []string
	err = db.QueryRowContext(t.Context(),
		`SELECT array_agg(tablename::text) FROM pg_tables WHERE schemaname = 'public'`).Scan(pq.Array(&tables))
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, table := range tables {
		var text string
		err := db.QueryRowContext(t.Context(),
			fmt.Sprintf(`SELECT coalesce(string_agg(r::text, E'\n'), '') FROM %s r`, table)).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(text)
	}
	return all.String()
}
