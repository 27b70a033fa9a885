package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// Each row is a request and the error in its response.
func TestEveryErrorNamesItsCause(t *testing.T) {
	t.Parallel()
	write := fresh(t, "shipments:write").Secret
	read := fresh(t, "shipments:read").Secret
	webhooks := fresh(t, "webhooks:manage").Secret
	const list = "/api/v1/shipments"
	post := http.MethodPost
	for name, c := range map[string]struct {
		call
		status int
		code   string
	}{
		"unknown path":        {call{path: "/api/v1/nothing", token: write}, 404, "not_found"},
		"wrong method":        {call{method: http.MethodDelete, path: list, token: write}, 405, "method_not_allowed"},
		"wrong method, token": {call{method: post, path: "/api/v1/token", token: write, body: "{}"}, 405, "method_not_allowed"},
		"no permission, read": {call{path: list, token: webhooks}, 403, "insufficient_permission"},
		"no permission":       {call{method: post, path: list, token: read, body: valid}, 403, "insufficient_permission"},
		"page 0":              {call{path: list + "?page=0", token: write}, 400, "invalid_parameter"},
		"per_page no number":  {call{path: list + "?per_page=ten", token: write}, 400, "invalid_parameter"},
		"unknown status":      {call{path: list + "?status=lost", token: write}, 400, "invalid_parameter"},
		"repeated parameter":  {call{path: list + "?page=1&page=2", token: write}, 400, "invalid_parameter"},
		"unknown parameter":   {call{path: list + "?pages=1", token: write}, 400, "unknown_parameter"},
		"malformed JSON":      {call{method: post, path: list, token: write, body: `{"shipment":`}, 400, "malformed_json"},
		"unknown field": {call{
			method: post, path: list, token: write,
			body: strings.Replace(valid, `"vessel"`, `"vesel"`, 1),
		}, 422, "validation_failed"},
		"missing field": {call{method: post, path: list, token: write, body: `{"shipment":{}}`}, 422, "validation_failed"},
		"NUL": {call{
			method: post, path: list, token: write,
			body: strings.Replace(valid, "PO-4711", `PO\u0000`, 1),
		}, 422, "validation_failed"},
		"another media type": {call{
			method: post, path: list, token: write, body: valid,
			header: http.Header{"Content-Type": {"text/plain"}},
		}, 415, "unsupported_media_type"},
		"over 1 MiB": {call{
			method: post, path: list, token: write,
			body: `{"x":"` + strings.Repeat("x", 1<<20) + `"}`,
		}, 413, "body_too_large"},
	} {
		t.Run(name, func(t *testing.T) {
			a := do(t, c.call)
			a.wants(t, c.status, c.code)
			if a.window.limit != 100 || a.window.remaining >= 100 {
				t.Errorf("the token's window was not charged: %+v", a.window)
			}
			switch c.status {
			case http.StatusMethodNotAllowed:
				if a.header.Get("Allow") == "" {
					t.Error("405 without Allow")
				}
			case http.StatusForbidden:
				if !strings.Contains(a.header.Get("Www-Authenticate"), `error="insufficient_scope"`) {
					t.Errorf("WWW-Authenticate is %q", a.header.Get("Www-Authenticate"))
				}
			}
		})
	}
}

func TestInvalidTokensAre401OnEveryPathAndCountAgainstTheAddress(t *testing.T) {
	t.Parallel()
	good := fresh(t, "shipments:read").Secret
	changed := good[:20] + swap(good[20]) + good[21:]
	const unknown = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	remaining := 100
	for _, c := range []struct {
		name, path string
		header     http.Header
		code       string
	}{
		{"no token", "/api/v1/shipments", nil, "missing_token"},
		{"no token, unknown path", "/api/v1/nothing", nil, "missing_token"},
		{"another scheme", "/api/v1/shipments", http.Header{"Authorization": {"Basic eDp5"}}, "missing_token"},
		{"in the query", "/api/v1/shipments?access_token=" + good, nil, "missing_token"},
		{"two tokens", "/api/v1/shipments", http.Header{"Authorization": {"Bearer " + good, "Bearer " + good}}, "invalid_token"},
		{"no format", "/api/v1/shipments", http.Header{"Authorization": {"Bearer x"}}, "invalid_token"},
		{"one letter changed", "/api/v1/shipments", http.Header{"Authorization": {"Bearer " + changed}}, "invalid_token"},
		{"unknown", "/api/v1/shipments", http.Header{"Authorization": {"Bearer " + unknown}}, "invalid_token"},
	} {
		a := do(t, call{path: c.path, header: c.header, from: "127.0.0.101"})
		a.wants(t, http.StatusUnauthorized, c.code)
		remaining--
		if a.window.remaining != remaining {
			t.Errorf("%s: remaining %d, want %d", c.name, a.window.remaining, remaining)
		}
		challenge := a.header.Get("Www-Authenticate")
		if !strings.HasPrefix(challenge, `Bearer realm="shipments"`) || (c.code == "invalid_token") != strings.Contains(challenge, `error="invalid_token"`) {
			t.Errorf("%s: WWW-Authenticate is %q", c.name, challenge)
		}
	}
	if a := do(t, call{path: "/api/v1/shipments", token: strings.ToLower("x") + good[1:], from: "127.0.0.101"}); a.status != http.StatusUnauthorized {
		t.Errorf("status %d", a.status)
	}
}

func swap(c byte) string {
	if c == 'a' {
		return "b"
	}
	return "a"
}

func TestAnExhaustedAddressWindowRefusesOnlyInvalidTokens(t *testing.T) {
	t.Parallel()
	good := fresh(t, "shipments:read").Secret
	do(t, call{path: "/api/v1/shipments", token: good}).wants(t, http.StatusOK, "")
	const address = "127.0.0.102"
	var last answer
	for n := 0; n <= 200 && last.status != http.StatusTooManyRequests; n++ { // the window may end within the loop
		last = do(t, call{path: "/api/v1/shipments", token: "guess", from: address})
	}
	last.wants(t, http.StatusTooManyRequests, "rate_limited")
	if last.window.remaining != 0 || last.header.Get("Retry-After") == "" {
		t.Errorf("429 has window %+v and Retry-After %q", last.window, last.header.Get("Retry-After"))
	}
	do(t, call{path: "/api/v1/shipments", token: good, from: address}).wants(t, http.StatusOK, "")
	do(t, call{path: "/api/v1/shipments", from: "127.0.0.103"}).wants(t, http.StatusUnauthorized, "missing_token")
}

func TestIdentityHeadersOfClientsAreIgnored(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:read").Secret
	other := decode[page](t, do(t, call{path: "/api/v1/shipments", token: stack.Demo.TokenOtherOrg}))
	for _, name := range []string{
		"X-Organization-ID", "x-organization-id", "X_Organization_ID", "X-Organization_ID", "X.Organization.ID",
		"X-Token-Permissions", "X_Token_Permissions", "X-Token-ID", "Forwarded", "X-Gateway-Assertion",
	} {
		for _, hop := range []string{"", name, "X-Organization-ID, X-Token-ID, X-Token-Permissions"} {
			header := http.Header{name: {"org_01k9x3v7t2e8sbq4m6n0pacdfg", "admin"}}
			if hop != "" {
				header["Connection"] = []string{hop}
			}
			a := do(t, call{path: "/api/v1/shipments?per_page=1", token: token, header: header})
			a.wants(t, http.StatusOK, "")
			if list := decode[page](t, a); list.Meta.Total == other.Meta.Total || list.Meta.Total == 0 {
				t.Errorf("%s with Connection: %q lists %d shipments", name, hop, list.Meta.Total)
			}
			a = do(t, call{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid, header: header})
			a.wants(t, http.StatusForbidden, "insufficient_permission")
		}
	}
}

// The types are those of real problems.
func TestEveryProblemTypeHasItsPage(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:read").Secret
	for _, c := range []call{
		{path: "/api/v1/shipments", from: "127.0.0.104"},
		{path: "/api/v1/shipments", token: "x", from: "127.0.0.104"},
		{path: "/api/v1/shipments?page=0", token: token},
		{path: "/nothing", token: token},
		{method: http.MethodPost, path: "/api/v1/shipments", token: token, body: valid},
	} {
		p := do(t, c).problem(t)
		page := do(t, call{path: p.Type})
		page.wants(t, http.StatusOK, "")
		if !strings.Contains(string(page.body), p.Code) {
			t.Errorf("%s does not contain %s", p.Type, p.Code)
		}
	}
}

func TestATokenCanReadItself(t *testing.T) {
	t.Parallel()
	token := fresh(t, "shipments:write")
	a := do(t, call{path: "/api/v1/token", token: token.Secret})
	a.wants(t, http.StatusOK, "")
	for _, want := range []string{token.ID, stack.Demo.Organization, "shipments:read", "shipments:write"} {
		if !strings.Contains(string(a.body), fmt.Sprintf("%q", want)) {
			t.Errorf("%s is not in %s", want, a.body)
		}
	}
}
