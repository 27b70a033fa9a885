package tokengate

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

const (
	testCredential = "a-credential-of-forty-bytes-on-one-line."
	testToken      = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	otherToken     = "shpt_live_000000000001_0000000000000000000000000000000027i4HK"
	testOrg        = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	activeBody     = `{"active":true,"scope":"shipments:read","sub":"tok_4fZyo82mVyR1",` +
		`"organization_id":"` + testOrg + `"}`
)

// testGate is a gate on a tokens service. It has no Redis and counts in its own memory, unless RedisDown is set.
type testGate struct {
	*Gate

	mu   sync.Mutex
	body string // of introspections; empty: 503
	uses string // the reports of them
	// session is the response about sessions, and asked the form of the last request for one.
	session string
	asked   url.Values
}

// newTestGate returns a gate with these settings whose tokens service answers with body.
func newTestGate(t testing.TB, g *Gate, body string) *testGate {
	t.Helper()
	tg := &testGate{Gate: g, body: body}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/changes" {
			_, _ = w.Write([]byte(`{"rev":1}` + "\n"))
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
			return
		}
		tg.mu.Lock()
		defer tg.mu.Unlock()
		if r.URL.Path == "/usage" {
			report, _ := io.ReadAll(r.Body)
			tg.uses += string(report)
			w.WriteHeader(http.StatusNoContent)
			return
		}
		body := tg.body
		if r.URL.Path == "/sessions/introspect" {
			_ = r.ParseForm()
			body, tg.asked = tg.session, r.PostForm
		}
		if body == "" {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		_, _ = w.Write([]byte(body))
	}))
	t.Cleanup(server.Close)
	g.Introspection, g.Extended, g.Credential = server.URL+"/introspect", true, testCredential
	g.Tokens = bearer.Format{
		Prefixes: []string{"shpt_live_", "shpt_test_"}, Length: 61, IDLength: 12, Subject: "tok_", Checksum: true,
	}
	g.Organizations, g.Realm, g.Pages = "^org_", "shipments", "/static/"
	g.SessionCookies, g.SignIn = []string{"__Host-quayside", "quayside"}, "/sign-in"
	g.open = []*openPaths{
		{Kind: "public", Paths: []string{"/docs/*"}},
		{Kind: "pages", Paths: []string{"/sign-in", "/settings/*"}},
		{Kind: "session", Paths: []string{"/shipments", "/shipments/*"}},
	}
	g.CORSOrigins = []string{"https://app.example"}
	if err := provision(t, g); err != nil {
		t.Fatal(err)
	}
	g.logger, g.access = zap.NewNop(), zap.NewNop()
	client, err := ratelimit.NewClient("redis://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	started := time.Now() // at which the clock of the windows stands, so that none ends during a test
	g.windows = ratelimit.New(client, ratelimit.Options{Down: g.RedisDown}, func() time.Time { return started })
	t.Cleanup(g.windows.Close)
	if body != "" {
		tg.know(t)
	}
	return tg
}

// know makes the gate know the token, however long a busy machine takes for that.
func (g *testGate) know(t testing.TB) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); ; {
		if _, err := g.tokens.Introspect(t.Context(), testToken); err == nil {
			return
		} else if time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// setBody sets what the tokens service answers.
func (g *testGate) setBody(body string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.body = body
}

// reports returns the reports of the uses of tokens.
func (g *testGate) reports() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.uses
}

// seen is a request as the next handler gets it.
type seen struct {
	*http.Request

	forwarded bool
}

// request returns a request with the token, from 192.0.2.1.
func request(method, path string) *http.Request {
	r := httptest.NewRequest(method, path, http.NoBody)
	r.Header.Set("Authorization", "Bearer "+testToken)
	return r
}

// serve sends r to the gate as Caddy does, and returns the response and what was forwarded of it.
func (g *testGate) serve(t *testing.T, r *http.Request, next caddyhttp.HandlerFunc) (*httptest.ResponseRecorder, seen) {
	t.Helper()
	w := httptest.NewRecorder()
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, &caddyhttp.Server{})
	var got seen
	err := g.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(w http.ResponseWriter, r *http.Request) error {
		got = seen{r, true}
		if next != nil {
			return next(w, r)
		}
		return nil
	}))
	if err != nil {
		t.Errorf("%s %s: %v", r.Method, r.URL.Path, err)
	}
	return w, got
}

// field returns the values of a header in the spelling in which it is sent.
func field(w *httptest.ResponseRecorder, name string) string {
	return strings.Join(w.Header()[name], ", ")
}

// code returns the code of a problem, or "".
func code(t *testing.T, w *httptest.ResponseRecorder) string {
	t.Helper()
	var members struct {
		Code   string
		Status int
	}
	if w.Body.Len() > 0 {
		if err := json.Unmarshal(w.Body.Bytes(), &members); err != nil || members.Status != w.Code {
			t.Errorf("%d %s: %v", w.Code, w.Body, err)
		}
	}
	return members.Code
}
