package transport_test

import (
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
)

func pointers(fields []problem.Field) (all []string) {
	for _, f := range fields {
		all = append(all, f.Code+" "+f.Pointer+f.Parameter)
	}
	return all
}

// TestBodiesAreReadStrictly, and all errors are reported at once.
func TestBodiesAreReadStrictly(t *testing.T) {
	t.Parallel()
	m := manage(t)
	const (
		create = "POST /api/v1/tokens"
		some   = "/api/v1/tokens/tok_4fZyo82mVyR1"
		rotate = "POST " + some + "/rotate"
		good   = `"name":"ERP","permissions":["shipments:read"]`
	)
	for _, c := range []struct{ operation, body, want string }{
		{create, `{`, "400 malformed_json"},
		{create, `{"token":{},"token":{}}`, "400 malformed_json"},
		{create, `[]`, "422 validation_failed invalid_type "},
		{create, `{}`, "422 validation_failed required /token"},
		{create, `{"token":null}`, "422 validation_failed invalid_type /token"},
		{create, `{"token":{` + good + `,"secret":"x"}}`, "422 unknown_field unknown_field /token/secret"},
		{create, `{"token":{"name":1,"permissions":"admin","expires_at":5,"ip_allow":{},"rate_limit":7,` +
			`"environment":null}}`, "422 validation_failed invalid_type /token/name invalid_type /token/environment " +
			"invalid_type /token/permissions invalid_type /token/ip_allow invalid_type /token/rate_limit " +
			"invalid_type /token/expires_at"},
		{
			create, `{"token":{` + good + `,"expires_at":"tomorrow"}}`,
			"422 validation_failed invalid_value /token/expires_at",
		},
		{
			create, `{"token":{` + good + `,"environment":" live"}}`,
			"422 validation_failed invalid_value /token/environment",
		},
		{create, `{"token":{"name":" ","permissions":["shipments:read","shipments:raed"],` +
			`"ip_allow":["10.0.0.0/8","here"],"rate_limit":{"limit":0,"window_seconds":-5},` +
			`"expires_at":"2020-01-01T00:00:00Z"}}`, "422 validation_failed required /token/name " +
			"invalid_value /token/permissions/1 invalid_value /token/ip_allow/1 out_of_range /token/rate_limit/limit " +
			"out_of_range /token/rate_limit/window_seconds out_of_range /token/expires_at"},
		{
			create, `{"token":{` + good + `,"rate_limit":{"limit":101}}}`,
			"422 validation_failed out_of_range /token/rate_limit/limit",
		},
		{"PATCH " + some, `{"token":{"environment":"test"}}`, "422 unknown_field unknown_field /token/environment"},
		{
			"PATCH " + some, `{"token":{"name":null,"permissions":null}}`,
			"422 validation_failed invalid_type /token/name invalid_type /token/permissions",
		},
		{rotate, `{"grace_seconds":"1h"}`, "422 validation_failed invalid_type /grace_seconds"},
		{rotate, `{"grace_seconds":604801}`, "422 validation_failed out_of_range /grace_seconds"},
		{rotate, `{"grace_seconds":9223372036854775807}`, "422 validation_failed out_of_range /grace_seconds"},
		{
			"POST " + some + "/revoke", `{"reason":"` + strings.Repeat("x", 201) + `"}`,
			"422 validation_failed too_long /reason",
		},
		{create, `{"token":{"name":"` + strings.Repeat("x", 64<<10) + `"}}`, "413 body_too_large"},
	} {
		method, path, _ := strings.Cut(c.operation, " ")
		code, _ := strconv.Atoi(c.want[:3])
		p := wantProblem(t, m.do(t, method, path, c.body), code, strings.Fields(c.want)[1])
		got := strings.Join(append([]string{c.want[:3], p.Code}, pointers(p.Errors)...), " ")
		if got != c.want {
			t.Errorf("%.120s: %s, want %s", c.body, got, c.want)
		}
		if p.Code == "malformed_json" && !strings.Contains(p.Detail, "offset") {
			t.Errorf("%s: %s does not give the position", c.body, p.Detail)
		}
	}
	p := wantProblem(t, m.do(t, http.MethodPost, "/api/v1/tokens", `{"token":{"naem":"x","permissions":["admin"]}}`), 422,
		"unknown_field")
	if got := p.Errors[0].Detail; got != `there is no member "naem"; did you mean "name"?` {
		t.Errorf("%s", got)
	}
}

func TestOnlyJSONIsRead(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for name, change := range map[string]func(http.Header){
		"none":       func(h http.Header) { h.Del("Content-Type") },
		"two":        func(h http.Header) { h.Add("Content-Type", "application/json") },
		"a form":     func(h http.Header) { h.Set("Content-Type", "application/x-www-form-urlencoded") },
		"a patch":    func(h http.Header) { h.Set("Content-Type", "application/merge-patch+json") },
		"latin 1":    func(h http.Header) { h.Set("Content-Type", "application/json; charset=latin1") },
		"compressed": func(h http.Header) { h.Set("Content-Encoding", "gzip") },
	} {
		res := m.ask(t, http.MethodPost, "/api/v1/tokens", org, m.token.ID, func(r *http.Request) {
			r.Header.Set("X-Token-Permissions", "admin")
			r.Header.Set("Content-Type", "application/json")
			r.Body = io.NopCloser(strings.NewReader(`{"token":{"name":"ERP","permissions":["admin"]}}`))
			change(r.Header)
		})
		if p := wantProblem(t, res, http.StatusUnsupportedMediaType,
			"unsupported_media_type"); !strings.Contains(p.Detail, "application/json") {
			t.Errorf("%s: %s", name, p.Detail)
		}
	}
}

func TestQueriesAreReadStrictly(t *testing.T) {
	t.Parallel()
	m := manage(t)
	for query, want := range map[string]string{
		"/tokens?stats=active":            "unknown_parameter unknown_parameter stats",
		"/tokens?status=good":             "invalid_parameter invalid_parameter status",
		"/tokens?page=0":                  "invalid_parameter invalid_parameter page",
		"/tokens?page=99999999999":        "invalid_parameter invalid_parameter page",
		"/tokens?per_page=x&page=1&page=": "invalid_parameter invalid_parameter page invalid_parameter per_page",
		"/audit-events?status=active":     "unknown_parameter unknown_parameter status",
		"/audit-events?per_page=-1":       "invalid_parameter invalid_parameter per_page",
		"/tokens?a=1;b=2":                 "invalid_parameter",
		"/tokens?status=%ff":              "invalid_parameter invalid_parameter status",
		"/tokens?%ff=1":                   "unknown_parameter unknown_parameter \uFFFD",
		"/token?x=1":                      "unknown_parameter unknown_parameter x",
	} {
		_, code, _ := strings.Cut(" "+want, " ")
		code, _, _ = strings.Cut(code, " ")
		p := wantProblem(t, m.do(t, http.MethodGet, "/api/v1"+query, ""), http.StatusBadRequest, code)
		if got := strings.Join(append([]string{p.Code}, pointers(p.Errors)...), " "); got != want {
			t.Errorf("%s: %s, want %s", query, got, want)
		}
	}
	wantProblem(t, m.do(t, http.MethodPost, "/api/v1/tokens?dry_run=1", `{}`), http.StatusBadRequest, "unknown_parameter")
}
