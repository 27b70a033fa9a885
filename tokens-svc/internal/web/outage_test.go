package web

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"sync/atomic"
	"testing"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// outages are connections of which one statement finds Postgres unavailable.
type outages struct {
	driver.Connector
	statements, at atomic.Int64 // the number of the last statement, and of the one that fails
}

func (o *outages) Connect(ctx context.Context) (driver.Conn, error) {
	c, err := o.Connector.Connect(ctx)
	return outageConn{c, o}, err
}

type outageConn struct {
	driver.Conn // without its methods that skip Prepare
	outages     *outages
}

func (c outageConn) Prepare(statement string) (driver.Stmt, error) {
	if c.outages.statements.Add(1) == c.outages.at.Load() {
		return nil, &pq.Error{Code: "57P03", Message: "the database system is starting up"}
	}
	return c.Conn.Prepare(statement)
}

// during lets each statement of a request fail in turn, until the request needs no further one, and returns that last
// answer. Each failure must give 503, or a status that is allowed because the work was done.
func (o *outages) during(
	t *testing.T, name string, request func() func() *httptest.ResponseRecorder, allowed ...int,
) *httptest.ResponseRecorder {
	t.Helper()
	for n := int64(1); ; n++ {
		o.at.Store(0)
		send := request()
		o.statements.Store(0)
		o.at.Store(n)
		res := send()
		o.at.Store(0)
		if o.statements.Load() < n {
			if n == 1 {
				t.Errorf("%s executes no statement", name)
			}
			return res
		}
		good := res.Code == http.StatusServiceUnavailable
		for _, status := range allowed {
			good = good || res.Code == status
		}
		if !good {
			t.Errorf("%s, statement %d fails: %d", name, n, res.Code)
		}
	}
}

// TestNoPageTakesAnOutageForAnAnswer, whichever statement of a request fails.
func TestNoPageTakesAnOutageForAnAnswer(t *testing.T) {
	t.Parallel()
	var c Config
	w := start(t, func(config *Config) { c = *config })
	connector, err := pq.NewConnector(postgrestest.Direct(w.dsn))
	if err != nil {
		t.Fatal(err)
	}
	o := &outages{Connector: connector}
	db := postgres.Mapped(sqlx.NewDb(sql.OpenDB(o), "postgres"))
	t.Cleanup(func() { _ = db.Close() })
	peppers, err := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	c.Tokens = tokens.NewService(postgres.NewRepository(db), tokens.Config{Peppers: peppers, Now: w.clock})
	c.People = people.NewService(postgres.NewRepository(db),
		people.Config{Passwords: password.New(cheap), Now: w.clock})
	c.Sessions = session.New(postgres.NewSessions(db, w.clock), true)
	w.Handler = New(c)

	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	member := w.enroll(t, "member@acme.example", acme, tokens.RoleMember)
	n := 0
	fresh := func() string { n++; return fmt.Sprintf("person%d@acme.example", n) }
	get := func(b *browser, path string) func() func() *httptest.ResponseRecorder {
		return func() func() *httptest.ResponseRecorder {
			return func() *httptest.ResponseRecorder { return b.get(t, path) }
		}
	}
	one := "/" + string(token.ID)
	for _, path := range []string{
		"/sign-in", "/settings/account", "/settings/password", api(""), api("?show=expired"), api("/new"),
		api(one),
		api(one + "/rotate"), api(one + "/revoke"), members(""), members("/" + string(member) + "/remove"),
		"/settings/" + string(acme) + "/audit-log", "/settings/" + string(acme) + "/audit-log?q=created",
	} {
		want := http.StatusOK
		if path == "/sign-in" {
			want = http.StatusSeeOther
		}
		if res := o.during(t, "GET "+path, get(owner, path)); res.Code != want {
			t.Errorf("GET %s: %d", path, res.Code)
		}
	}
	// post sends a form that form makes anew each time.
	post := func(path string, form func() (*browser, string, url.Values), want int, allowed ...int) {
		t.Helper()
		res := o.during(t, "POST "+path, func() func() *httptest.ResponseRecorder {
			b, at, values := form()
			return func() *httptest.ResponseRecorder { return b.post(t, at, values) }
		}, allowed...)
		if res.Code != want {
			t.Errorf("POST %s: %d, want %d\n%s", path, res.Code, want, res.Body)
		}
	}
	made := func() string { return "/" + string(w.token(t, owner, "ERP").ID) }
	post("generate", func() (*browser, string, url.Values) { return owner, api(""), owner.generateForm(t) },
		http.StatusOK,
		http.StatusOK)
	post("rotate", func() (*browser, string, url.Values) {
		at := api(made() + "/rotate")
		return owner, at, url.Values{"form": {owner.nonce(t, at)}, "overlap": {"1h"}}
	}, http.StatusOK, http.StatusOK)
	post("revoke", func() (*browser, string, url.Values) { return owner, api(made() + "/revoke"), url.Values{} },
		http.StatusSeeOther)
	post("revoke with an invalid reason", func() (*browser, string, url.Values) {
		return owner, api(one + "/revoke"), url.Values{"reason": {"a\tb"}}
	}, http.StatusUnprocessableEntity)
	post("invite", func() (*browser, string, url.Values) {
		return owner, invitations, url.Values{"email": {fresh()}, "role": {"member"}}
	}, http.StatusOK, http.StatusOK)
	post("withdraw", func() (*browser, string, url.Values) {
		owner.invite(t, fresh(), "member")
		id := regexp.MustCompile(`inv_[0-9a-z]{26}`).FindString(owner.get(t, members("")).Body.String())
		return owner, invitations + "/" + id + "/withdraw", url.Values{}
	}, http.StatusSeeOther)
	post("role", func() (*browser, string, url.Values) {
		return owner, members("/" + string(w.enroll(t, fresh(), acme, tokens.RoleMember)) + "/role"),
			url.Values{"role": {"admin"}}
	}, http.StatusSeeOther)
	post("remove", func() (*browser, string, url.Values) {
		return owner, members("/" + string(w.enroll(t, fresh(), acme, tokens.RoleMember)) + "/remove"), url.Values{}
	}, http.StatusSeeOther)
	post("sign-in", func() (*browser, string, url.Values) {
		email := fresh()
		w.enroll(t, email, acme, tokens.RoleMember)
		return w.browser(), "/sign-in", url.Values{"email": {email}, "password": {secret}}
	}, http.StatusSeeOther)
	post("accept an invitation", func() (*browser, string, url.Values) {
		email := fresh()
		b := w.browser()
		b.address = fmt.Sprintf("198.51.100.%d", n)
		return b, "/sign-in/invitation", acceptance(email, owner.invite(t, email, "member"))
	}, http.StatusSeeOther)
	signedIn := func() *browser {
		email := fresh()
		w.enroll(t, email, acme, tokens.RoleMember)
		b := w.browser()
		b.address = fmt.Sprintf("203.0.113.%d", n)
		b.post(t, "/sign-in", url.Values{"email": {email}, "password": {secret}})
		return b
	}
	post("password", func() (*browser, string, url.Values) {
		return signedIn(), "/settings/password", url.Values{"current": {secret}, "password": {"another horse battery"}}
	}, http.StatusSeeOther)
	post("sign out", func() (*browser, string, url.Values) { return signedIn(), "/settings/sign-out", url.Values{} },
		http.StatusSeeOther)
	post("end others", func() (*browser, string, url.Values) {
		return signedIn(), "/settings/account/sessions/end-others", url.Values{}
	}, http.StatusSeeOther)
	post("end another", func() (*browser, string, url.Values) {
		return signedIn(), "/settings/account/sessions/end", url.Values{"session": {"ses_x"}}
	}, http.StatusSeeOther)
}
