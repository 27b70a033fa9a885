package web

import (
	"context"
	"database/sql"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	kit "github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/gateway/servicekit/settings/sealing"
	"github.com/quayside/quayside/gateway/servicekit/testserver"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/credential"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/transport"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

const (
	acme  tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"

	// shipmentsOfAcme is where people go who joined acme.
	shipmentsOfAcme = home + "/" + string(acme)

	origin = "https://quayside.example"
	secret = "correct horse battery"

	gatewayCredential = "newest-0123456789abcdef0123456789abcdef"
	cookieID          = "__Host-quayside"
	deviceID          = "__Host-quayside-device"
)

// world is a site over a database of its own, with two organizations, and everything that it logged.
type world struct {
	http.Handler
	internal http.Handler // for gateways
	dsn      string
	db       *sql.DB // behind the program's back
	people   *people.Service
	tokens   *tokens.Service
	storage  *failing
	log      *testserver.Log

	mu  sync.Mutex
	now time.Time
}

func (w *world) clock() time.Time {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// pass lets time pass.
func (w *world) pass(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.now = w.now.Add(d)
}

// cheap keeps tests quick.
var cheap = argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32}

// start returns a world; change may alter what its site is made of.
func start(t *testing.T, change ...func(*Config)) *world {
	t.Helper()
	return startMailing(t, nil, change...)
}

// startMailing is start with mail; nil: none.
func startMailing(t *testing.T, mail people.Mail, change ...func(*Config)) *world {
	t.Helper()
	w := &world{dsn: postgrestest.New(t, postgres.Migrate), log: &testserver.Log{}, now: time.Now()}
	db, err := postgres.Open(w.dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	if w.db, err = sql.Open("postgres", w.dsn); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = db.Close(), w.db.Close() })
	peppers, err := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	w.storage = &failing{Repository: postgres.NewRepository(db)}
	log := slog.New(slog.NewJSONHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	address, err := url.Parse(origin)
	if err != nil {
		t.Fatal(err)
	}
	party, err := passkey.New(address)
	if err != nil {
		t.Fatal(err)
	}
	appKeys, err := sealing.Parse("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	w.people = people.NewService(postgres.NewRepository(db), people.Config{
		Passwords: password.New(cheap), Now: w.clock, Log: log, Mail: mail,
		AppKeys: &appKeys, Passkeys: party,
		Domains: map[string]people.Domain{"mapped.example": {Organization: other, Role: tokens.RoleMember}},
	})
	w.tokens = tokens.NewService(w.storage, tokens.Config{
		Peppers: peppers, Now: w.clock, Notices: w.people.NoticesOfToken,
	})
	for id, name := range map[tokens.OrgID]string{acme: "Acme Citrus", other: "Other & Sons"} {
		if _, err := w.tokens.CreateOrganization(t.Context(), tokens.Operator(), id, name); err != nil {
			t.Fatal(err)
		}
	}
	sections, err := kit.ReadSections()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{
		People: w.people, Tokens: w.tokens, Passwords: true, Sections: sections,
		PublicURL: address, Timeout: 10 * time.Second,
		Log: log,
	}
	for _, alter := range change {
		alter(&c)
	}
	c.Sessions = session.New(postgres.NewSessions(db, w.clock), c.PublicURL.Scheme == "https")
	w.Handler = New(c)
	gateways, err := credential.Parse(gatewayCredential)
	if err != nil {
		t.Fatal(err)
	}
	w.internal = transport.Internal(w.tokens, w.tokens, nil, transport.Sessions{
		People: w.people, Sessions: c.Sessions, Permissions: w.tokens.Permissions(), Passwords: c.Passwords,
	}, transport.Config{Timeout: c.Timeout}, gateways, log)
	return w
}

// enroll makes somebody a member and returns their id.
func (w *world) enroll(t *testing.T, email string, org tokens.OrgID, role tokens.Role) people.UserID {
	t.Helper()
	u, _, err := w.people.Enroll(t.Context(), people.Enrolment{
		Organization: org, Email: email,
		Role: string(role), Password: secret,
	})
	if err != nil {
		t.Fatal(err)
	}
	return u.ID
}

// token makes a token of acme in somebody's name.
func (w *world) token(t *testing.T, member *browser, name string, change ...func(*tokens.Draft)) tokens.Token {
	t.Helper()
	d := tokens.Draft{Name: name, Permissions: []string{"shipments:read"}, ExpiresAt: w.clock().Add(90 * day)}
	for _, alter := range change {
		alter(&d)
	}
	members, err := w.people.Members(t.Context(), acme)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range members {
		if m.Email == member.email {
			v := visit{
				Request: httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil),
				person:  people.Standing{User: m.User},
				site:    &site{Config: Config{Tokens: w.tokens}},
			}
			v.person.Membership.Role = m.Role
			made, _, err := w.tokens.CreateToken(t.Context(), v.principal(), acme, d)
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
	}
	t.Fatalf("%s is no member", member.email)
	return tokens.Token{}
}

// exec changes the database behind the program's back.
func (w *world) exec(t *testing.T, statement string) {
	t.Helper()
	if _, err := w.db.ExecContext(t.Context(), statement); err != nil {
		t.Fatal(err)
	}
}

// count returns what a query counts.
func (w *world) count(t *testing.T, query string) int { t.Helper(); return one[int](t, w, query) }

// query returns the one text that a query selects.
func (w *world) query(t *testing.T, query string) string { t.Helper(); return one[string](t, w, query) }

func one[T any](t *testing.T, w *world, query string) (value T) {
	t.Helper()
	if err := w.db.QueryRowContext(t.Context(), query).Scan(&value); err != nil {
		t.Fatal(err)
	}
	return value
}

// browser keeps a cookie, as browsers do.
type browser struct {
	*world
	email   string
	cookie  string
	device  string
	address string
}

func (w *world) browser() *browser { return &browser{world: w, address: "192.0.2.7"} }

// signedIn returns the browser of somebody who is signed in.
func (w *world) signedIn(t *testing.T, email string) *browser {
	t.Helper()
	b := w.browser()
	b.email = email
	res := b.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
	if res.Code != http.StatusSeeOther {
		t.Fatalf("%s cannot sign in: %d", email, res.Code)
	}
	return b
}

// member enrolls somebody in acme and signs them in.
func (w *world) member(t *testing.T, role tokens.Role) *browser {
	t.Helper()
	email := string(role) + "@acme.example"
	w.enroll(t, email, acme, role)
	return w.signedIn(t, email)
}

func (b *browser) get(t *testing.T, path string) *httptest.ResponseRecorder {
	t.Helper()
	return b.send(t, http.MethodGet, path, nil, nil)
}

// post sends a form as a page of ours does.
func (b *browser) post(t *testing.T, path string, form url.Values) *httptest.ResponseRecorder {
	t.Helper()
	return b.send(t, http.MethodPost, path, form, http.Header{"Sec-Fetch-Site": {"same-origin"}, "Origin": {origin}})
}

func (b *browser) send(
	t *testing.T, method, path string, form url.Values, header http.Header,
) *httptest.ResponseRecorder {
	t.Helper()
	var body io.Reader = http.NoBody
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r := httptest.NewRequestWithContext(context.WithoutCancel(t.Context()), method, origin+path, body)
	if header != nil {
		r.Header = header.Clone()
	}
	r.Header.Set("X-Client-Address", b.address)
	r.Header.Set("User-Agent", "Mozilla/5.0 (X11; Linux x86_64) Chrome/150.0 Safari/537.36")
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if b.cookie != "" {
		r.AddCookie(&http.Cookie{Name: cookieID, Value: b.cookie})
	}
	if b.device != "" {
		r.AddCookie(&http.Cookie{Name: deviceID, Value: b.device})
	}
	res := httptest.NewRecorder()
	b.ServeHTTP(res, r)
	for _, c := range res.Result().Cookies() {
		switch c.Name {
		case cookieID:
			b.cookie = c.Value
		case deviceID:
			b.device = c.Value
		}
	}
	return res
}

// nonce returns the nonce of the form on a page.
func (b *browser) nonce(t *testing.T, path string) string {
	t.Helper()
	page := b.get(t, path)
	found := regexp.MustCompile(`name="form" value="([^"]+)"`).FindStringSubmatch(page.Body.String())
	if found == nil {
		t.Fatalf("%s: %d, no form in\n%s", path, page.Code, page.Body)
	}
	return found[1]
}

// generateForm is a good one.
func (b *browser) generateForm(t *testing.T) url.Values {
	t.Helper()
	return url.Values{
		"form": {b.nonce(t, "/settings/"+string(acme)+"/api/new")}, "name": {"ERP"}, "preset": {"write"},
		"expiry":      {"90"},
		"environment": {"live"},
	}
}

var tokenText = regexp.MustCompile(`shpt_(live|test)_[0-9A-Za-z]{12}_[0-9A-Za-z]{38}`)

// api is a path below Settings › API of acme.
func api(rest string) string { return "/settings/" + string(acme) + "/api" + rest }

// want checks an answer's status and what its page says and does not say, with a "!" in front.
func want(t *testing.T, res *httptest.ResponseRecorder, status int, texts ...string) {
	t.Helper()
	if res.Code != status {
		t.Errorf("%d, want %d:\n%s", res.Code, status, res.Body)
		return
	}
	body := strings.NewReplacer("&#39;", "'", "<wbr>", "").Replace(res.Body.String())
	for _, text := range texts {
		if without, not := strings.CutPrefix(text, "!"); not {
			if strings.Contains(body, without) {
				t.Errorf("%q is on the page:\n%s", without, res.Body)
			}
		} else if !strings.Contains(body, text) {
			t.Errorf("%q is missing from the page:\n%s", text, res.Body)
		}
	}
}

// wantTo checks that the answer sends the browser somewhere.
func wantTo(t *testing.T, res *httptest.ResponseRecorder, to string) {
	t.Helper()
	if got := res.Header().Get("Location"); res.Code != http.StatusSeeOther || got != to {
		t.Errorf("%d to %q, want to %q\n%s", res.Code, got, to, res.Body)
	}
}
