package web

import (
	"fmt"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestEmptyListHasAnExplanation(t *testing.T) {
	t.Parallel()
	w := start(t)
	want(t, w.member(t, tokens.RoleOwner).get(t, api("")), http.StatusOK,
		"<title>API tokens · Acme Citrus · Quayside</title>", "No tokens yet",
		"Generate API Token", "The secret is shown once")
	want(t, w.member(t, tokens.RoleAuditor).get(t, api("")), http.StatusOK, "No tokens yet",
		"!Generate API Token", "Ask an owner or admin")
}

// use records requests with a token, the last of them so long ago from an address.
func (w *world) use(t *testing.T, token tokens.Token, requests, refused int64, ago time.Duration, from string) {
	t.Helper()
	err := w.tokens.RecordUsage(t.Context(), []tokens.Use{{
		Token: token.ID, Requests: requests, Refused: refused, LastUsedAt: w.clock().Add(-ago),
		Address: audit.Address{Addr: netip.MustParseAddr(from)},
	}})
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheListShowsHowTokensAre(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	used := w.token(t, owner, "ERP <Kraków>")
	w.token(t, owner, "Short", func(d *tokens.Draft) { d.ExpiresAt = w.clock().Add(3 * day) })
	gone := w.token(t, owner, "Lost", func(d *tokens.Draft) {
		d.Permissions, d.ExpiresAt = []string{"admin"}, time.Time{}
	})
	w.use(t, used, 120, 3, 5*time.Minute, "192.0.2.99")
	if _, err := w.tokens.RevokeToken(t.Context(), tokens.Operator(), acme, gone.ID, "laptop stolen",
		false); err != nil {
		t.Fatal(err)
	}
	list := owner.get(t, api(""))
	want(t, list, http.StatusOK, "ERP &lt;Kraków&gt;", public(used), "owner@acme.example", "shipments:read",
		`class="status active">Active<`, `class="status expiring">Expires in 3 days<`, "5 minutes ago", "192.0.2.99",
		`>120, <span`, "3 refused", "!Lost",
		`aria-label="Rotate Short"`, `aria-label="Revoke Short"`, "!shpt_live_…")
	want(t, owner.get(t, api("?show=expiring")), http.StatusOK, "Short", "!Kraków", "!Lost",
		`id="show-expiring" aria-current="page"`)
	want(t, owner.get(t, api("?show=expired")), http.StatusOK, "No expired tokens.", "!Kraków")
	want(t, owner.get(t, api("?show=revoked")), http.StatusOK, "Lost", "Full access",
		`class="status revoked">Revoked<`, "laptop stolen",
		`!aria-label="Rotate Lost"`, `!aria-label="Revoke Lost"`)
	want(t, owner.get(t, api("?show=all")), http.StatusOK, "Lost", "Short", "Kraków")
	want(t, owner.get(t, api("?show=nonsense&page=-1")), http.StatusOK, "Short", "!Lost")
	want(t, owner.get(t, api("?q=short&sort=name")), http.StatusOK, "Short", "!Kraków", `value="name" selected`,
		`?q=short&amp;show=all&amp;sort=name`)
	want(t, owner.get(t, api("?q=nowhere")), http.StatusOK, "No tokens match.", "!No tokens yet")
	w.exec(t,
		`UPDATE api_tokens SET created_at = created_at - interval '9 days',
			expires_at = expires_at - interval '9 days' WHERE name = 'Short'`)
	want(t, owner.get(t, api("?show=expired")), http.StatusOK, "Short", `class="status expired">Expired<`)
	want(t, owner.get(t, api("/"+string(used.ID))), http.StatusOK, "List and read shipments",
		"100 requests per 60 seconds", "Any</dd>", "192.0.2.99")
	want(t, owner.get(t, api("/"+string(gone.ID))), http.StatusOK, "laptop stolen", "Never",
		"webhooks:manage", `!id="rotate"`)
}

func TestLongListsHavePages(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for range perPage + 1 {
		w.token(t, owner, "ERP")
	}
	want(t, owner.get(t, api("")), http.StatusOK, "Page 1 of 2", `rel="next" href="?page=2"`, `!rel="prev"`)
	want(t, owner.get(t, api("?page=2&show=all")), http.StatusOK, "Page 2 of 2",
		`rel="prev" href="?page=1&amp;show=all"`, `!rel="next"`)
	want(t, owner.get(t, api("?page=9")), http.StatusOK, `rel="prev" href="?page=2"`, "!No active tokens")
}

func TestATokenIsShownOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	form := owner.generateForm(t)
	res := owner.post(t, api(""), form)
	want(t, res, http.StatusOK, "Copy your new token", "QUAYSIDE_TOKEN=shpt_live_", "Authorization: Bearer shpt_live_",
		"curl https://quayside.example/api/v1/shipments", "Read &amp; write")
	secret := tokenText.FindString(res.Body.String())
	if n := strings.Count(res.Body.String(), secret); secret == "" || n != 3 {
		t.Fatalf("the token is on the page %d times", n)
	}
	for name, values := range res.Header() {
		if strings.Contains(strings.Join(values, ""), secret[len("shpt_live_"):]) {
			t.Errorf("the token is in the header %s", name)
		}
	}
	parsed, err := tokens.Parse(secret)
	if err != nil {
		t.Fatal(err)
	}
	if found, err := w.tokens.Introspect(t.Context(), parsed); err != nil || found.Outcome != tokens.OutcomeActive {
		t.Errorf("it is not good: %+v, %v", found, err)
	}
	// Reload, Back and a second tab send the same form again.
	for range 3 {
		want(t, owner.post(t, api(""), form), http.StatusConflict, "This form was already submitted", "ERP",
			public(tokens.Token{ID: parsed.ID(), Environment: "live"}),
			"No second token was created", "!"+secret, "Revoke it")
	}
	for _, path := range []string{
		api(""), api("/" + string(parsed.ID())), api("/new"),
		"/settings/" + string(acme) + "/audit-log",
	} {
		want(t, owner.get(t, path), http.StatusOK, "!"+secret[len(secret)-38:])
	}
	if n := w.count(t, `SELECT count(*) FROM api_tokens`); n != 1 {
		t.Errorf("there are %d tokens", n)
	}
}

func TestFaultsAreShownAtTheirFields(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for name, c := range map[string]struct {
		change url.Values
		says   []string
	}{
		"no name": {url.Values{"name": {" "}}, []string{"Enter a name.", `href="#name"`, `id="name-fault"`}},
		"a token as name": {
			url.Values{"name": {"shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"}},
			[]string{"looks like a token"},
		},
		"no preset": {
			url.Values{"preset": {"everything"}},
			[]string{"Choose at least one permission.", `href="#permissions"`},
		},
		"custom but none": {url.Values{"preset": {"custom"}}, []string{"Choose at least one permission."}},
		"no expiry":       {url.Values{"expiry": {""}}, []string{"Expiry must be in the future."}},
		"no day":          {url.Values{"expiry": {"custom"}}, []string{"Expiry must be in the future."}},
		"yesterday": {
			url.Values{"expiry": {"custom"}, "day": {"2020-01-01"}},
			[]string{"Expiry must be in the future.", `value="2020-01-01"`},
		},
		"no addresses": {
			url.Values{"ip_allow": {"nowhere\n10.0.0.1/8"}},
			[]string{
				"Allowed addresses: &#34;nowhere&#34;: not an address", "did you mean 10.0.0.0/8?",
				"nowhere\n10.0.0.1/8</textarea>", "<details class=\"advanced\" id=\"advanced\" open>",
			},
		},
		"too high a limit": {
			url.Values{"limit": {"101"}},
			[]string{"Requests per minute may be at most 100", `value="101"`, `href="#limit"`},
		},
		"no number": {url.Values{"limit": {"ten"}}, []string{"Requests per minute must be from 1"}},
		"several": {url.Values{"name": {""}, "limit": {"0"}, "expiry": {"x"}, "ip_allow": {"x"}}, []string{
			"There are 4 problems", "Enter a name.", "Requests per minute must be", "Expiry must be", "not an address",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			form := owner.generateForm(t)
			maps.Copy(form, c.change)
			// Sent twice, because reloading the page sends it again.
			for range 2 {
				res := owner.post(t, api(""), form)
				want(t, res, http.StatusUnprocessableEntity, c.says...)
				want(t, res, http.StatusUnprocessableEntity, `role="alert" tabindex="-1" autofocus`,
					"!shpt_live_4fZyo82mVyR1_Qm3p")
			}
		})
	}
	if n := w.count(t, `SELECT count(*) FROM api_tokens`) + w.count(t,
		`SELECT count(*) FROM audit_events WHERE action = 'token.created'`); n != 0 {
		t.Errorf("there are %d tokens and events", n)
	}
}

func TestGenerateFormCreatesTheTokenAsFilledIn(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	grants := (view{Permissions: w.tokens.Permissions()}).Grants
	for name, c := range map[string]struct {
		change url.Values
		want   string // how the token differs from that of the form
	}{
		"read only":  {url.Values{"preset": {"read"}}, "grants Read only"},
		"full":       {url.Values{"preset": {"full"}}, "grants Full access"},
		"seven days": {url.Values{"expiry": {"7"}}, "lasts 168h0m0s"},
		"no expiry":  {url.Values{"expiry": {"none"}}, "ends 0001-01-01"},
		"a day":      {url.Values{"expiry": {"custom"}, "day": {"2099-12-31"}}, "ends 2100-01-01"},
		"least":      {url.Values{"limit": {" 1 "}}, "limit {1 60}"},
		"most":       {url.Values{"limit": {"100"}}, "limit {100 60}"},
		"a limit":    {url.Values{"limit": {"20"}}, "limit {20 60}"},
		"test":       {url.Values{"environment": {"test"}}, "environment test"},
		"custom": {
			url.Values{"preset": {"custom"}, "permissions": {"webhooks:manage", "shipments:read"}},
			"grants shipments:read, webhooks:manage",
		},
		"addresses": {
			url.Values{"ip_allow": {"192.0.2.1, 2001:db8::/32\n198.51.100.0/24"}},
			"addresses [192.0.2.1/32 198.51.100.0/24 2001:db8::/32]",
		},
	} {
		t.Run(name, func(t *testing.T) {
			form := owner.generateForm(t)
			maps.Copy(form, c.change)
			res := owner.post(t, api(""), form)
			secret, err := tokens.Parse(tokenText.FindString(res.Body.String()))
			if err != nil {
				t.Fatalf("%d, %v", res.Code, err)
			}
			made, err := w.tokens.Token(t.Context(), acme, secret.ID())
			text := fmt.Sprintf("grants %s; lasts %s; ends %s; limit %v; environment %s; addresses %v;", grants(made),
				made.ExpiresAt.Sub(made.CreatedAt.Truncate(time.Second)), made.ExpiresAt.Format(time.DateOnly),
				made.RateLimit, made.Environment, made.IPAllow)
			if err != nil || !strings.Contains(text, c.want+";") {
				t.Errorf("%s, %v, want %s", text, err, c.want)
			}
		})
	}
}

func TestRotatingShowsTheSuccessorOnce(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for overlap, end := range map[string]time.Duration{"0": 0, "1h": time.Hour, "24h": day, "7d": 7 * day} {
		old := w.token(t, owner, "ERP "+overlap)
		path := api("/" + string(old.ID) + "/rotate")
		until := moment{At: w.tokens.Now().Add(end)}.Minute()
		want(t, owner.get(t, path), http.StatusOK, "Rotate ERP "+overlap, "recorded yet", "24 hours")
		form := url.Values{"form": {owner.nonce(t, path)}, "overlap": {overlap}}
		res := owner.post(t, path, form)
		want(t, res, http.StatusOK, "Copy your new token", public(old))
		secret := tokenText.FindString(res.Body.String())
		if end > 0 {
			want(t, res, http.StatusOK, "stays valid until", until[:len("2 Jan 2006")])
		} else {
			want(t, res, http.StatusOK, "is no longer valid")
		}
		want(t, owner.post(t, path, form), http.StatusConflict, "This form was already submitted",
			secret[:len("shpt_live_000000000000_")]+"…", "!"+secret)
		want(t, owner.get(t, path), http.StatusConflict, "no longer active or was already rotated")
		now, err := w.tokens.Token(t.Context(), acme, old.ID)
		if err != nil || now.RotatedTo == "" || now.ExpiresAt.Sub(w.tokens.Now()).Round(time.Minute) != end {
			t.Errorf("%s: %+v, %v", overlap, now, err)
		}
	}
	old := w.token(t, owner, "ERP")
	path := api("/" + string(old.ID) + "/rotate")
	want(t, owner.post(t, path, url.Values{"form": {owner.nonce(t, path)}, "overlap": {"forever"}}),
		http.StatusUnprocessableEntity, "Choose an overlap")
	nonce := owner.nonce(t, path)
	if _, err := w.tokens.RotateToken(t.Context(), tokens.Operator(), acme, old.ID, 0); err != nil {
		t.Fatal(err)
	}
	want(t, owner.post(t, path, url.Values{"form": {nonce}, "overlap": {"1h"}}), http.StatusConflict, "Already done")
}

func TestAnOverlapCanBeEndedEarly(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	old := w.token(t, owner, "ERP")
	if _, err := w.tokens.RotateToken(t.Context(), tokens.Operator(), acme, old.ID, day); err != nil {
		t.Fatal(err)
	}
	want(t, owner.get(t, api("?show=expiring")), http.StatusOK, "Being replaced", "valid until",
		"End overlap now", `!aria-label="Rotate ERP"`)
	path := api("/" + string(old.ID))
	want(t, owner.get(t, path), http.StatusOK, "Its successor is", "End overlap now")
	want(t, owner.get(t, path+"/revoke"), http.StatusOK, "End the overlap of ERP now?", "recorded yet",
		"Programs that still use this token")
	wantTo(t, owner.post(t, path+"/revoke", url.Values{}), api(""))
	want(t, owner.get(t, api("?show=expiring")), http.StatusOK, "!End overlap now", "was revoked")
}

func TestRevokingIsConfirmedAndShowsTheLastUse(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	w.use(t, token, 1, 0, 3*time.Hour, "192.0.2.99")
	path := api("/" + string(token.ID) + "/revoke")
	want(t, owner.get(t, path), http.StatusOK, "Revoke ERP?", "3 hours ago", "192.0.2.99",
		"stop working", "can't be undone",
		`id="cancel" data-cancel autofocus`)
	want(t, owner.post(t, path, url.Values{"reason": {strings.Repeat("x", 201)}}),
		http.StatusUnprocessableEntity, "Reason has 201 characters")
	wantTo(t, owner.post(t, path, url.Values{"reason": {"laptop lost"}}), api(""))
	want(t, owner.get(t, api("")), http.StatusOK, `id="notice"`, "ERP (shpt_live_", "was revoked")
	want(t, owner.get(t, api("")), http.StatusOK, `!id="notice"`)
	now, err := w.tokens.Token(t.Context(), acme, token.ID)
	if err != nil || now.Status(w.clock()) != tokens.StatusRevoked || now.RevokedReason != "laptop lost" {
		t.Errorf("%+v, %v", now, err)
	}
	want(t, owner.get(t, path), http.StatusConflict, "Already done")
}

// TestTheFirstRequestIsReported to the page of a new token, which does not count as somebody while it waits.
func TestTheFirstRequestIsReported(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	path := api("/" + string(token.ID) + "/first-use")
	w.pass(session.Idle - time.Minute)
	want(t, owner.get(t, path), http.StatusOK, "{}")
	w.use(t, token, 1, 0, time.Minute, "2001:db8::1")
	want(t, owner.get(t, path), http.StatusOK, `{"at":"`, `Z","address":"2001:db8::1"}`)
	w.pass(2 * time.Minute)
	want(t, owner.get(t, path), http.StatusSeeOther)
}
