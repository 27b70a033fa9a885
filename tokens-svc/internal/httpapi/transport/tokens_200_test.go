package transport_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestTokensAreListedInPagesWithTheirUsage(t *testing.T) {
	t.Parallel()
	m := manage(t)
	var want []tokens.TokenID
	for range 3 {
		m.now = m.now.Add(time.Second)
		token, _ := m.create(t, nil)
		want = append(want, token.ID)
	}
	slices.Reverse(want)
	want = append(want, m.token.ID)
	wantNoContent(t, m.report(t, reports(reportOf(want[0], created, 5, 2)), nil))
	var got []tokens.TokenID
	for page := 1; page <= 3; page++ {
		res := m.do(t, http.MethodGet, fmt.Sprintf("/api/v1/tokens?per_page=2&page=%d", page), "")
		a := read(t, res, http.StatusOK)
		if a.Meta.Page != page || a.Meta.PerPage != 2 || a.Meta.Total != 4 ||
			!strings.Contains(res.Header().Get("Link"), `</api/v1/tokens?page=2&per_page=2>; rel="last"`) {
			t.Errorf("page %d: %+v, Link: %s", page, a.Meta, res.Header().Get("Link"))
		}
		for _, token := range a.Tokens {
			got = append(got, token.ID)
			if used := token.ID == want[0]; token.Secret != "" ||
				used != (token.Usage.Requests == 5 && token.Usage.Refused == 2 && token.Usage.LastUsedFrom == "192.0.2.1") {
				t.Errorf("%+v", token)
			}
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if usage := read(t, m.do(t, http.MethodGet, "/api/v1/tokens/"+string(want[0]), ""),
		http.StatusOK).Token.Usage; usage == nil || usage.Requests != 5 {
		t.Errorf("alone it has %+v", usage)
	}
	if a := read(t, m.do(t, http.MethodGet, "/api/v1/tokens?per_page=1000", ""), http.StatusOK); a.Meta.PerPage != 100 {
		t.Errorf("%+v", a.Meta)
	}
}

func TestTokensAreFilteredByStatus(t *testing.T) {
	t.Parallel()
	m := manage(t)
	m.create(t, func(d *tokens.Draft) { d.Name, d.ExpiresAt = "near", created.Add(48*time.Hour) })
	m.create(t, func(d *tokens.Draft) { d.Name, d.ExpiresAt = "ended", created.Add(time.Hour) })
	revoked, _ := m.create(t, func(d *tokens.Draft) { d.Name = "revoked" })
	m.revoke(t, revoked.ID)
	m.now = created.Add(2 * time.Hour)
	for status, want := range map[string]string{
		"all": "Terraform ended near revoked", "active": "Terraform near",
		"expiring": "near", "expired": "ended", "revoked": "revoked",
	} {
		a := read(t, m.do(t, http.MethodGet, "/api/v1/tokens?status="+status, ""), http.StatusOK)
		var got []string
		for _, token := range a.Tokens {
			got = append(got, token.Name)
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want || a.Meta.Total != len(got) {
			t.Errorf("%q: %v of %d, want %s", status, got, a.Meta.Total, want)
		}
	}
}

// TestAPatchIsAMerge: what is given changes, null takes away, the rest stays.
func TestAPatchIsAMerge(t *testing.T) {
	t.Parallel()
	m := manage(t)
	token, secret := m.create(t, func(d *tokens.Draft) {
		d.IPAllow, d.RateLimit = []string{"192.0.2.0/24"}, tokens.RateLimit{Limit: 10}
	})
	for _, step := range []struct {
		body string
		want func(shown) bool
	}{
		{`{"token":{}}`, func(s shown) bool { return s.Name == "ERP" && s.RateLimit.Limit == 10 && len(s.IPAllow) == 1 }},
		{`{"token":{"name":"WMS"}}`, func(s shown) bool { return s.Name == "WMS" && s.RateLimit.Limit == 10 }},
		{
			`{"token":{"rate_limit":{"limit":5}}}`,
			func(s shown) bool { return s.RateLimit.Limit == 5 && s.RateLimit.WindowSeconds == 60 },
		},
		{
			`{"token":{"rate_limit":{"window_seconds":60}}}`,
			func(s shown) bool { return s.RateLimit.Limit == 5 && s.RateLimit.WindowSeconds == 60 },
		},
		{`{"token":{"rate_limit":null}}`, func(s shown) bool {
			return s.RateLimit.Limit == 100 &&
				s.RateLimit.WindowSeconds == 60
		}},
		{`{"token":{"ip_allow":["10.0.0.0/8"]}}`, func(s shown) bool { return s.IPAllow[0] == "10.0.0.0/8" }},
		{`{"token":{"ip_allow":null}}`, func(s shown) bool { return s.IPAllow == nil }},
		{
			`{"token":{"permissions":["documents:read"]}}`,
			func(s shown) bool { return slices.Equal(s.Permissions, []string{"documents:read"}) },
		},
		{
			`{"token":{"expires_at":"2026-11-21T00:00:00Z"}}`,
			func(s shown) bool { return s.ExpiresAt == "2026-11-21T00:00:00.000Z" },
		},
		{`{"token":{"expires_at":null}}`, func(s shown) bool { return s.ExpiresAt == "" && s.Name == "WMS" }},
	} {
		got := read(t, m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(token.ID), step.body), http.StatusOK).Token
		if !step.want(got) {
			t.Errorf("%s: %+v", step.body, got)
		}
	}
	if answer := m.introspect(t, formOf(secret), nil).Body.String(); !strings.Contains(answer,
		`"scope":"documents:read"`) || strings.Contains(answer, "exp") {
		t.Errorf("introspection returns %s", answer)
	}
	res := m.ask(t, http.MethodPatch, "/api/v1/tokens/"+string(token.ID), org, m.token.ID, func(r *http.Request) {
		r.Header.Set("X-Token-Permissions", "admin")
		r.Header.Set("Content-Type", "application/merge-patch+json")
		r.Body = io.NopCloser(strings.NewReader(`{"token":{"name":"merged"}}`))
	})
	if got := read(t, res, http.StatusOK).Token.Name; got != "merged" {
		t.Errorf("as merge patch: %s", got)
	}
}

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

func TestTokenRevokesItself(t *testing.T) {
	t.Parallel()
	p := start(t)
	token, secret := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{"documents:read"} })
	wantNoContent(t, p.send(t, token, http.MethodDelete, "/api/v1/token", ""))
	wantBody(t, p.introspect(t, formOf(secret), nil), `{"active":false,"reason":"revoked"}`)
	wantProblem(t, p.send(t, token, http.MethodDelete, "/api/v1/token", ""), http.StatusUnauthorized, "invalid_token")
}

// TestAuditLogHasActorAndAction, from where, and in which request.
func TestAuditLogHasActorAndAction(t *testing.T) {
	t.Parallel()
	m := manage(t)
	made := read(t, m.do(t, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"]}}`), http.StatusCreated).Token
	m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(made.ID), `{"token":{"name":"WMS"}}`)
	m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/rotate", made.ID), "")
	m.do(t, http.MethodPost, fmt.Sprintf("/api/v1/tokens/%s/revoke", made.ID), `{"reason":"lost"}`)
	res := m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=4", "")
	a := read(t, res, http.StatusOK)
	if a.Meta.Total != 6 || len(a.Events) != 4 || a.Events[0].Sequence != 6 ||
		!strings.Contains(res.Header().Get("Link"), `</api/v1/audit-events?page=2&per_page=4>; rel="next"`) {
		t.Fatalf("%+v, Link: %s", a, res.Header().Get("Link"))
	}
	for i, action := range []string{"token.revoked", "token.rotated", "token.updated", "token.created"} {
		e := a.Events[i]
		if e.Action != action || e.Target != string(made.ID) || e.Actor.Kind != "token" || e.Actor.ID != string(m.token.ID) ||
			e.Actor.Name != "Terraform" || e.Actor.Address != "192.0.2.7" ||
			e.Actor.RequestID != "req_01k9x3v7t2e8sbq4m6n0pacdfh" {
			t.Errorf("%+v, want %s", e, action)
		}
	}
	if a.Events[2].Details["name_before"] != "ERP" || a.Events[0].Details["reason"] != "lost" {
		t.Errorf("details %v", a.Events)
	}
	if rest := read(t, m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=1&after=4", ""),
		http.StatusOK); rest.Meta.Total != 2 || rest.Events[0].Sequence != 5 {
		t.Errorf("after 4: %+v", rest)
	}
	if last := read(t, m.do(t, http.MethodGet, "/api/v1/audit-events?per_page=4&page=2", ""),
		http.StatusOK); len(last.Events) != 2 {
		t.Errorf("the last page is %+v", last)
	}
}

func TestTheAPIDocumentNeedsNoToken(t *testing.T) {
	t.Parallel()
	p := start(t)
	res := p.ask(t, http.MethodGet, "/api/v1/openapi/tokens.json", "", "", nil)
	var document struct {
		OpenAPI string
		Info    struct{ Title string }
	}
	if err := json.Unmarshal(res.Body.Bytes(), &document); err != nil || res.Code != http.StatusOK ||
		document.OpenAPI != "3.1.0" || document.Info.Title != "Quayside tokens" {
		t.Errorf("%d, %v, %+v", res.Code, err, document)
	}
}
