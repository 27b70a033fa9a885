package transport_test

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/api/requestid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

const (
	gatewayCredential = "newest-0123456789abcdef0123456789abcdef"
	olderCredential   = "before-0123456789abcdef0123456789abcdef"

	org   tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// created is when the tests' organizations and tokens are made.
var created = time.Date(2026, time.November, 20, 14, 3, 52, 123e6, time.UTC)

// program is the handlers of both listeners over a database of their own, and everything they logged.
type program struct {
	public, internal http.Handler
	feed             *transport.Feed
	next             func() <-chan struct{}
	opened           func() func()
	service          *tokens.Service
	dsn              string
	timeout          time.Duration // of each request
	now              time.Time
	log              *testserver.Log
	close            func() // its connections
}

// start returns a program with two organizations and an empty table of tokens. On a busy machine the work of a request
// may take longer than its second.
func start(tb testing.TB) *program {
	tb.Helper()
	p := within(tb, postgrestest.New(tb, postgres.Migrate), 10*postgres.RequestTimeout)
	for id, name := range map[tokens.OrgID]string{org: "Acme Citrus", other: "Other & Sons"} {
		if _, err := p.service.CreateOrganization(tb.Context(), tokens.Operator(), id, name); err != nil {
			tb.Fatal(err)
		}
	}
	return p
}

// over returns a program over a database.
func over(tb testing.TB, dsn string) *program { return within(tb, dsn, postgres.RequestTimeout) }

// within is over with another timeout of each request.
func within(tb testing.TB, dsn string, timeout time.Duration) *program {
	tb.Helper()
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = db.Close() })
	p := &program{dsn: dsn, timeout: timeout, now: created, close: func() { _ = db.Close() }}
	p.service = tokens.NewService(postgres.NewRepository(db), tokens.Config{
		Peppers: pepper(tb), Now: func() time.Time { return p.now },
	})
	p.handle(tb, p.service)
	return p
}

// pepper is that of the format's known answers, 00 01 02 … 1f.
func pepper(tb testing.TB) tokens.Peppers {
	tb.Helper()
	p, err := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// handle makes the handlers over s.
func (p *program) handle(tb testing.TB, s *tokens.Service) {
	tb.Helper()
	gateways, err := credential.Parse(gatewayCredential + "," + olderCredential)
	if err != nil {
		tb.Fatal(err)
	}
	p.log = &testserver.Log{}
	log := slog.New(slog.NewJSONHandler(p.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := transport.Config{Timeout: p.timeout, Observe: func(string) {}}
	if p.next == nil {
		p.next = func() <-chan struct{} { return nil }
		p.opened = func() func() { return func() {} }
	}
	p.feed = transport.NewFeed(s, p.next, p.opened, log)
	tb.Cleanup(p.feed.Close)
	p.public, p.internal = transport.Public(s, c, log),
		transport.Internal(s, s, p.feed, transport.Sessions{}, c, gateways, log)
}

// double stands in for storage that fails. It has no other methods.
type double struct {
	tokens.Repository
	err    error
	panics bool
}

func (d double) FindToken(context.Context, tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	if d.panics {
		panic(d.err)
	}
	return tokens.Token{}, tokens.Digest{}, d.err
}

func failing(err error) double { return double{err: err} }

// with returns a program over a double.
func with(tb testing.TB, d double) *program {
	tb.Helper()
	p := &program{timeout: postgres.RequestTimeout, now: created}
	p.handle(tb, tokens.NewService(d, tokens.Config{Now: func() time.Time { return p.now }}))
	return p
}

// create makes a token of org.
func (p *program) create(tb testing.TB, change func(*tokens.Draft)) (tokens.Token, tokens.Secret) {
	tb.Helper()
	d := tokens.Draft{Name: "ERP", Permissions: []string{"shipments:write"}, ExpiresAt: p.now.Add(90 * 24 * time.Hour)}
	if change != nil {
		change(&d)
	}
	t, s, err := p.service.CreateToken(tb.Context(), tokens.Operator(), org, d)
	if err != nil {
		tb.Fatal(err)
	}
	return t, s
}

func (p *program) revoke(tb testing.TB, id tokens.TokenID) {
	tb.Helper()
	if _, err := p.service.RevokeToken(tb.Context(), tokens.Operator(), org, id, "lost", false); err != nil {
		tb.Fatal(err)
	}
}

// introspect sends a form as a gateway does; change may alter the request.
func (p *program) introspect(tb testing.TB, form string, change func(*http.Request)) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), http.MethodPost, "/internal/v1/introspect",
		strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+gatewayCredential)
	if change != nil {
		change(r)
	}
	return answer(p.internal, r)
}

func formOf(s tokens.Secret) string { return url.Values{"token": {s.Reveal()}}.Encode() }

// ask sends a request as the gateway forwards it for a token, and checks the answer against the API document.
func (p *program) ask(
	tb testing.TB, method, path string, o tokens.OrgID, id tokens.TokenID, change func(*http.Request),
) *httptest.ResponseRecorder {
	tb.Helper()
	r := httptest.NewRequestWithContext(tb.Context(), method, path, http.NoBody)
	r.Header.Set(assertion.HeaderOrganization, string(o))
	r.Header.Set(assertion.HeaderToken, string(id))
	r.Header.Set(assertion.HeaderPermissions, "shipments:read")
	r.Header.Set(requestid.Header, "req_01k9x3v7t2e8sbq4m6n0pacdfh")
	if change != nil {
		change(r)
	}
	res := answer(p.public, r)
	documented(tb, r, res)
	return res
}

func answer(h http.Handler, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// wantBody checks for 200, the body and what every JSON answer has.
func wantBody(tb testing.TB, res *httptest.ResponseRecorder, want string) {
	tb.Helper()
	if got := res.Body.String(); res.Code != http.StatusOK || got != want+"\n" {
		tb.Errorf("%d %s\nwant 200 %s", res.Code, got, want)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Cache-Control": "no-store"} {
		if got := res.Header().Get(name); got != want {
			tb.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// refusal is a problem that is no error here.
type refusal problem.Problem

// wantProblem checks an error's status, code and what every problem has.
func wantProblem(tb testing.TB, res *httptest.ResponseRecorder, status int, code string) refusal {
	tb.Helper()
	var p problem.Problem
	if err := json.Unmarshal(res.Body.Bytes(), &p); err != nil {
		tb.Fatalf("%d is no problem: %v", res.Code, err)
	}
	if res.Code != status || p.Status != status || p.Code != code || p.Type != "/problems/"+code {
		tb.Errorf("%d %+v, want %d %s", res.Code, p, status, code)
	}
	if got := res.Header().Get("Content-Type"); got != problem.ContentType {
		tb.Errorf("Content-Type: %s", got)
	}
	if _, ok := publicid.Parse("req", p.RequestID); !ok {
		tb.Errorf("request_id %q", p.RequestID)
	}
	if p.Title == "" || p.Detail == "" || p.Instance == "" {
		tb.Errorf("incomplete: %+v", p)
	}
	return refusal(p)
}

// exec changes the database behind the program's back.
func exec(tb testing.TB, dsn, statement string, args ...any) {
	tb.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(tb.Context(), statement, args...); err != nil {
		tb.Fatal(err)
	}
}

// logged returns how many lines of that level and message there are.
func (p *program) logged(tb testing.TB, level, msg string) (n int) {
	tb.Helper()
	lines := json.NewDecoder(strings.NewReader(p.log.String()))
	for {
		var line struct{ Level, Msg string }
		if err := lines.Decode(&line); errors.Is(err, io.EOF) {
			return n
		} else if err != nil {
			tb.Fatal(err)
		}
		if line.Level == level && line.Msg == msg {
			n++
		}
	}
}
