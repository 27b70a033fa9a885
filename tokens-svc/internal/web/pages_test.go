package web

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestSessionsAreListedAndEnded(t *testing.T) {
	t.Parallel()
	w := start(t)
	first := w.member(t, tokens.RoleOwner)
	w.pass(time.Minute)
	second, third := w.signedIn(t, first.email), w.signedIn(t, first.email)
	stranger := w.member(t, tokens.RoleAdmin)
	page := second.get(t, "/settings/account")
	want(t, page, http.StatusOK, "Chrome on Linux", "192.0.2.7", "this session",
		"End all other sessions", "!"+second.cookie)
	ids := regexp.MustCompile(`<li id="(ses_[0-9a-z]{26})"`).FindAllStringSubmatch(page.Body.String(), -1)
	if len(ids) != 3 {
		t.Fatalf("%d sessions in\n%s", len(ids), page.Body)
	}
	oldest := ids[2][1]
	wantTo(t, stranger.post(t, "/settings/account/sessions/end", url.Values{"session": {oldest}}), "/settings/account")
	want(t, first.get(t, "/settings/account"), http.StatusOK)
	w.pass(time.Minute)
	page = second.get(t, "/settings/account")
	item := regexp.MustCompile(`(?s)<li id="(ses_[0-9a-z]{26})".*?</li>`)
	for _, found := range item.FindAllStringSubmatch(page.Body.String(), -1) {
		if strings.Contains(found[0], "this session") {
			wantTo(t, third.post(t, "/settings/account/sessions/end", url.Values{"session": {found[1]}}), "/settings/account")
		}
	}
	wantTo(t, second.get(t, "/settings/account"), "/sign-in?ended=1&next=%2Fsettings%2Faccount")
	want(t, first.get(t, "/settings/account"), http.StatusOK)
	wantTo(t, third.post(t, "/settings/account/sessions/end-others", nil), "/settings/account")
	wantTo(t, first.get(t, "/settings/account"), "/sign-in?ended=1&next=%2Fsettings%2Faccount")
	page = third.get(t, "/settings/account")
	want(t, page, http.StatusOK, "You were signed out of all other sessions.", "!End all other sessions")
	own := regexp.MustCompile(`ses_[0-9a-z]{26}`).FindString(page.Body.String())
	wantTo(t, third.post(t, "/settings/account/sessions/end", url.Values{"session": {own}}), "/sign-in?out=1")
	want(t, stranger.get(t, "/settings/account"), http.StatusOK)
}

func TestAuditPageShowsActorAndAction(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	owner.post(t, api(""), owner.generateForm(t))
	owner.invite(t, "new@acme.example", "member")
	log := "/settings/" + string(acme) + "/audit-log"
	want(t, owner.get(t, log), http.StatusOK, "Token created", "ERP", "owner@acme.example", "192.0.2.7",
		"documents:write shipments:write",
		"Member invited", "new@acme.example", "Organization created", "command line", "No. 1,")
	want(t, owner.get(t, log+"?q=Member+invited"), http.StatusOK, "new@acme.example", "!No. 1,", "!ERP",
		`value="Member invited"`)
	want(t, owner.get(t, log+"?q=erp"), http.StatusOK, "Token created", "!new@acme.example")
	want(t, owner.get(t, log+"?q=%25"), http.StatusOK, "No entries match")
	for range perPage {
		w.token(t, owner, "many")
	}
	want(t, owner.get(t, log), http.StatusOK, "Page 1 of 2", "!No. 1,")
	want(t, owner.get(t, log+"?page=2"), http.StatusOK, "No. 1,")
	want(t, owner.get(t, log+"?q=token+created"), http.StatusOK, "Page 1 of 2", "q=token")
}

func TestUnknownResourcesAreNotFound(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for _, path := range []string{
		"/settings/", "/sign-in/", "/sign-in/nothing", "/settings/static/",
		"/settings/static/x/style.css",
		"/settings/static/../sessions", api("/tok_x/nothing"), api("/"),
	} {
		for _, b := range []*browser{w.browser(), owner} {
			res := b.get(t, path)
			want(t, res, http.StatusNotFound, "Page not found", "<h1>")
			if got := res.Header().Get("Content-Type"); got != "text/html; charset=utf-8" {
				t.Errorf("%s: %s", path, got)
			}
		}
	}
	res := owner.send(t, http.MethodDelete, api(""), nil, http.Header{"Sec-Fetch-Site": {"same-origin"}})
	want(t, res, http.StatusMethodNotAllowed)
	if allow := res.Header().Get("Allow"); allow != "GET, HEAD, POST" {
		t.Errorf("Allow: %q", allow)
	}
	res = owner.post(t, api(""), url.Values{"name": {strings.Repeat("x", pages.MaxForm)}})
	want(t, res, http.StatusRequestEntityTooLarge, "Form too large")
}

func TestStaticFilesNeverChange(t *testing.T) {
	t.Parallel()
	w := start(t)
	for name, kind := range map[string]string{
		"style.css": "text/css", "script.js": "text/javascript",
		"icon.svg": "image/svg+xml", "apple-touch-icon.png": "image/png",
	} {
		res := w.browser().get(t, set.Address(name))
		if got := res.Header().Get("Content-Type"); res.Code != http.StatusOK || !strings.HasPrefix(got, kind) {
			t.Errorf("%s: %d %s", name, res.Code, got)
		}
		if got := res.Header().Get("Cache-Control"); got != "public, max-age=31536000, immutable" {
			t.Errorf("%s: %s", name, got)
		}
		want(t, w.browser().post(t, set.Address(name), nil), http.StatusMethodNotAllowed)
	}
}

// TestPagesHoldNothingInline: the policy would keep it from working.
func TestPagesHoldNothingInline(t *testing.T) {
	t.Parallel()
	inline := regexp.MustCompile(`(?i)<style|\sstyle=|\son[a-z]+=|<script(?: [^>]*)?>[^<]|javascript:`)
	entries, err := templateFiles.ReadDir("templates")
	if err != nil || len(entries) == 0 {
		t.Fatal(err)
	}
	for _, entry := range entries {
		content, err := templateFiles.ReadFile("templates/" + entry.Name())
		if err != nil {
			t.Fatal(err)
		}
		if found := inline.Find(content); found != nil {
			t.Errorf("%s: %s", entry.Name(), found)
		}
	}
}

// failing is storage that cannot be asked for usage, once err is set.
type failing struct {
	tokens.Repository
	err error
}

func (f *failing) Usage(
	ctx context.Context, org tokens.OrgID, ids []tokens.TokenID, since time.Time,
) ([]tokens.Use, error) {
	if f.err != nil {
		return nil, f.err
	}
	return f.Repository.Usage(ctx, org, ids, since)
}

func TestFaultsHavePagesToo(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err    error
		status int
		says   string
		logged string
	}{
		"Postgres is away": {
			tokens.ErrUnavailable, http.StatusServiceUnavailable, "Temporarily unavailable",
			`the token store is not available"`,
		},
		"too slow": {
			context.DeadlineExceeded, http.StatusServiceUnavailable,
			"Temporarily unavailable", `context deadline exceeded`,
		},
		"a bug": {
			errors.New("unforeseen"), http.StatusInternalServerError, "Something went wrong",
			`"level":"ERROR","msg":"internal_error"`,
		},
		"the client left": {context.Canceled, httpserver.StatusClientGone, "Go to shipments", `"status":499`},
	} {
		w := start(t)
		w.storage.err = c.err
		owner := w.member(t, tokens.RoleOwner)
		res := owner.get(t, api(""))
		want(t, res, c.status, c.says, "!unforeseen")
		if c.status == http.StatusServiceUnavailable && res.Header().Get("Retry-After") != "2" {
			t.Errorf("%s: Retry-After %q", name, res.Header().Get("Retry-After"))
		}
		if c.status >= http.StatusInternalServerError &&
			!regexp.MustCompile(`Request <code class="break">req_[0-9a-z]{26}<`).MatchString(res.Body.String()) {
			t.Errorf("%s: no request id", name)
		}
		if log := w.log.String(); !strings.Contains(log, c.logged) || strings.Count(log, `"error":"`) > 1 {
			t.Errorf("%s: logged\n%s", name, log)
		}
	}
}

// TestTokenIsShownIfTheSessionIsNotSaved: it cannot be shown again.
func TestTokenIsShownIfTheSessionIsNotSaved(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	form := owner.generateForm(t)
	w.exec(t, `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`)
	w.exec(t, `CREATE TRIGGER refuse BEFORE UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION refuse()`)
	want(t, owner.post(t, api(""), form), http.StatusOK, "Copy your new token")
	want(t, owner.get(t, api("")), http.StatusInternalServerError)
}

// TestNoSecretIsLeft: after all of it, no password, code, cookie or piece of a token is in the log or the database.
func TestNoSecretIsLeft(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	text := tokenText.FindString(owner.post(t, api(""), owner.generateForm(t)).Body.String())
	code := owner.invite(t, "new@acme.example", "member")
	b := w.browser()
	b.post(t, "/sign-in/invitation", acceptance("new@acme.example", code))
	b.post(t, "/sign-in", url.Values{"email": {"new@acme.example"}, "password": {"a wrong secret password"}})
	owner.get(t, api("/"+text))
	owner.get(t, api("?token="+text))
	owner.post(t, api(""), url.Values{"name": {text}, "ip_allow": {text}, "form": {text}})
	owner.post(t, api("/"+text+"/revoke"), url.Values{"reason": {text}})
	w.browser().send(t, http.MethodGet, "/settings?next="+text, nil, http.Header{"X-Request-Id": {text}})

	rows := ""
	for _, table := range []string{
		"users", "memberships", "invitations", "sign_in_attempts", "sessions",
		"api_tokens", "audit_events", "identities",
	} {
		rows += w.text(t, table)
	}
	for place, content := range map[string]string{"log": w.log.String(), "database": rows} {
		if !strings.Contains(content, "usr_") || !strings.Contains(content, string(acme)) {
			t.Errorf("the %s knows nothing: the search proves nothing", place)
		}
		secrets := map[string]string{
			"password": secret, "new password": "a new horse battery", "wrong password": "a wrong secret", "code": code,
			"code as kept": strings.ReplaceAll(code, "-", ""), "cookie": owner.cookie, "another cookie": b.cookie,
		}
		private := text[len("shpt_live_000000000000_"):]
		for i := range len(private) - 7 {
			secrets["piece of a token"] = private[i : i+8]
			for name, secret := range secrets {
				if strings.Contains(content, secret) {
					t.Fatalf("the %s holds a %s", place, name)
				}
			}
		}
	}
}

// text returns every row of a table.
func (w *world) text(t *testing.T, table string) string {
	t.Helper()
	return w.query(t, `SELECT coalesce(string_agg(r::text, E'\n'), '') FROM `+table+` r`)
}

func TestDeviceNames(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Mozilla/5.0 (Windows NT 10.0) Chrome/150.0 Safari/537.36 Edg/150.0":           "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Version/18 Safari/605":        "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18 Safari/604": "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 15) Chrome/150.0 Mobile Safari/537.36":            "Chrome on Android",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":       "Firefox on Linux",
		"curl/8.5": "curl", "": "A browser",
	} {
		if got := browserName(agent); got != want {
			t.Errorf("%q: %q, want %q", agent, got, want)
		}
	}
}
