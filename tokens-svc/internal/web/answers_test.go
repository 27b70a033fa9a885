package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestEachPageMarksItsTab: screen readers announce the current page.
func TestEachPageMarksItsTab(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	base := "/settings/" + string(acme)
	for path, tab := range map[string]string{
		"/api": "/api", "/api/new": "/api", "/api/" + string(token.ID): "/api",
		"/api/" + string(token.ID) + "/rotate": "/api",
		"/api/" + string(token.ID) + "/revoke": "/api", "/members": "/members", "/audit-log": "/audit-log",
	} {
		nav := between(owner.get(t, base+path).Body.String(), `<nav class="tabs"`, "</nav>")
		if strings.Count(nav, "aria-current") != 1 || !strings.Contains(nav, `href="`+base+tab+`" aria-current="page"`) {
			t.Errorf("%s:\n%s", path, nav)
		}
	}
}

func TestAuditEntriesAreNamedAndExplained(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	token := w.token(t, owner, "ERP")
	w.exec(t,
		`INSERT INTO audit_events (log_id, sequence, at, actor_kind, actor_id, actor_name, request_id, action,
			target, details, previous, hash)
		SELECT log_id, 4, at, 'user', '', 'newer', '', 'token.renamed', 'tok_x',
			'{"colour": "red", "role": ""}', previous, hash
		FROM audit_events WHERE sequence = 1 AND log_id = '`+string(acme)+`'`)
	w.exec(t, `UPDATE audit_heads SET sequence = 4 WHERE log_id = '`+string(acme)+`'`)
	log := "/settings/" + string(acme) + "/audit-log"
	page := owner.get(t, log).Body.String()
	for text, times := range map[string]int{
		`<span class="strong">Token created</span>`: 1, string(token.ID): 1, "<li>Environment: ": 1, "<li>Expiry: ": 1,
		"ERP": 1, // the entry's subject is not repeated among its details
		// An action of a newer version; its empty detail is not shown, but that of the owner who joined.
		`<span class="strong">Token renamed</span>`: 1, `<span class="block break">tok_x</span>`: 1,
		`<li>Colour: <span class="break">red</span></li>`: 1, "<li>Role: ": 1,
	} {
		if n := strings.Count(page, text); n != times {
			t.Errorf("%q is there %d times in\n%s", text, n, page)
		}
	}
}

func TestPageNumbersOutOfRangeAreTheFirst(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"": 1, "x": 1, "-1": 1, "0": 1, "1": 1, "2": 2, "1000000": 1_000_000,
		"1000001": 1, "99999999999999999999": 1,
	} {
		v := &visit{Request: &http.Request{Form: url.Values{"page": {text}}}}
		if p := pageOf(v); p.Number != want || p.Size != perPage {
			t.Errorf("%q: %+v", text, p)
		}
	}
}

// TestAnOverlapEndsWithTheToken, at the latest.
func TestAnOverlapEndsWithTheToken(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	end := w.clock().Add(2 * time.Hour).Truncate(time.Second)
	for name, expiry := range map[string]time.Time{"ends": end, "lasts": {}} {
		token := w.token(t, owner, name, func(d *tokens.Draft) { d.ExpiresAt = expiry })
		page := owner.get(t, api("/"+string(token.ID)+"/rotate")).Body.String()
		for id, length := range map[string]time.Duration{"1h": time.Hour, "24h": day, "7d": 7 * day} {
			until := w.tokens.Now().Add(length)
			if !expiry.IsZero() && expiry.Before(until) {
				until = expiry
			}
			if option := between(page, `id="overlap-`+id, "</label>"); !strings.Contains(option,
				`datetime="`+moment{At: until}.ISO()) {
				t.Errorf("%s, overlap %s should end %s:\n%s", name, id, until, option)
			}
		}
	}
}

// TestAdvancedSettingsAreOpenWhereTheyAreFilledIn, so that none is overlooked.
func TestAdvancedSettingsAreOpenWhereTheyAreFilledIn(t *testing.T) {
	t.Parallel()
	w := start(t)
	owner := w.member(t, tokens.RoleOwner)
	for field, open := range map[string]bool{"": false, "ip_allow": true, "limit": true, "environment": true} {
		form := owner.generateForm(t)
		form.Set("name", "")
		form.Set(field, map[string]string{"ip_allow": "192.0.2.1", "limit": "5", "environment": "test"}[field])
		page := owner.post(t, api(""), form).Body.String()
		if details := between(page, `<details class="advanced"`, ">"); strings.Contains(details, " open") != open {
			t.Errorf("with %q: %s", field, details)
		}
	}
}

// between returns the part of a text from one mark to the next.
func between(text, from, to string) string {
	_, rest, _ := strings.Cut(text, from)
	part, _, _ := strings.Cut(rest, to)
	return from + part
}
