package transport_test

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestOtherRoutesAreRefused, and the API document is for everybody.
func TestOtherRoutesAreRefused(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, path := range []string{"/", "/api/v1/token/", "/internal/v1/introspect", "/livez", "/metrics"} {
		wantProblem(t, p.ask(t, http.MethodGet, path, org, "tok_000000000001", nil), http.StatusNotFound, "not_found")
	}
	wantProblem(t, p.ask(t, http.MethodPut, "/api/v1/token", org, "tok_000000000001", nil),
		http.StatusMethodNotAllowed, "method_not_allowed")
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

// operations are those of the document, as a token without a body asks for them, by the permission that each needs.
func operations(t *testing.T) map[string][]string {
	t.Helper()
	doc, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]string{}
	for path, item := range doc.Paths.Map() {
		for method, op := range item.Operations() {
			if op.Security != nil && len(*op.Security) == 0 {
				continue
			}
			need, _ := op.Extensions["x-permission"].(string)
			found[need] = append(found[need], method+" "+strings.ReplaceAll(path, "{id}", "tok_4fZyo82mVyR1"))
		}
	}
	return found
}

// TestEveryOperationRequiresItsPermission before it reads the body, and says what is needed and what the token has.
func TestEveryOperationRequiresItsPermission(t *testing.T) {
	t.Parallel()
	p := start(t)
	all := operations(t)
	if len(all) != 4 || len(all["any"]) == 0 || len(all["admin"]) == 0 ||
		len(all["tokens:read"]) == 0 || len(all["audit:read"]) == 0 {
		t.Fatalf("x-permission is another: %v", all)
	}
	for _, permission := range p.service.Permissions().All() {
		if permission == tokens.Admin {
			continue
		}
		token, _ := p.create(t, func(d *tokens.Draft) { d.Permissions = []string{string(permission)} })
		for needs, operations := range all {
			if needs == "any" || needs == string(permission) {
				continue
			}
			for _, operation := range operations {
				method, path, _ := strings.Cut(operation, " ")
				res := p.send(t, token, method, path, "")
				problem := wantProblem(t, res, http.StatusForbidden, "insufficient_permission")
				if !strings.Contains(problem.Detail, "needs "+needs) || !strings.Contains(problem.Detail, string(permission)) {
					t.Errorf("%s: %s", operation, problem.Detail)
				}
				challenge := `Bearer realm="shipments", error="insufficient_scope", scope="` + needs + `"`
				if got := res.Header().Get("WWW-Authenticate"); got != challenge {
					t.Errorf("%s: WWW-Authenticate: %s", operation, got)
				}
			}
		}
	}
}

// TestEveryRouteRequiresAnIdentity: a request without one did not come through the gateway.
func TestEveryRouteRequiresAnIdentity(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, list := range operations(t) {
		for _, operation := range list {
			method, path, _ := strings.Cut(operation, " ")
			res := p.ask(t, method, path, org, "tok_000000000001", func(r *http.Request) { r.Header.Del("X-Organization-ID") })
			wantProblem(t, res, http.StatusUnauthorized, "missing_identity")
			if got := res.Header().Get("WWW-Authenticate"); got != `Bearer realm="shipments"` {
				t.Errorf("%s: WWW-Authenticate: %s", operation, got)
			}
		}
	}
}

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

// TestAnotherOrganizationsTokenIsNotFound: the response is that to an unknown token, and the token is not changed.
func TestAnotherOrganizationsTokenIsNotFound(t *testing.T) {
	t.Parallel()
	m := manage(t)
	foreign, _, err := m.service.CreateToken(t.Context(), tokens.Operator(), other,
		tokens.Draft{Name: "theirs", Permissions: []string{"shipments:read"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, operation := range operations(t)["admin"] {
		method, path, _ := strings.Cut(operation, " ")
		if !strings.Contains(path, "tok_4fZyo82mVyR1") {
			continue
		}
		body := ""
		if method == http.MethodPatch {
			body = `{"token":{"name":"mine"}}`
		}
		var answers []string
		for _, id := range []string{
			string(foreign.ID), "tok_000000000000", "tok_short", "x", "%E2%82%AC", "%ff", "%00",
			"tok_%ff000000000", "tok_00000000000%00",
		} {
			at := strings.Replace(path, "tok_4fZyo82mVyR1", id, 1)
			res := m.do(t, method, at, body)
			wantProblem(t, res, http.StatusNotFound, "not_found")
			answers = append(answers, strings.Replace(res.Body.String(), id, "ID", 1))
		}
		for _, answer := range answers {
			if answer != answers[0] {
				t.Errorf("%s: responses can be distinguished:\n%s%s", operation, answers[0], answer)
			}
		}
	}
	if got, err := m.service.Token(t.Context(), other, foreign.ID); err != nil || got.Revision != foreign.Revision {
		t.Errorf("it was changed: %+v, %v", got, err)
	}
	listed := read(t, m.do(t, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK)
	if listed.Meta.Total != 1 || listed.Tokens[0].ID != m.token.ID {
		t.Errorf("listed are %+v", listed)
	}
	if events := read(t, m.do(t, http.MethodGet, "/api/v1/audit-events", ""), http.StatusOK); events.Meta.Total != 2 {
		t.Errorf("the audit log has %+v", events)
	}
}

// TestEndedTokensCannotBeChanged: a rotated token names its successor, for programs as well.
func TestEndedTokensCannotBeChanged(t *testing.T) {
	t.Parallel()
	m := manage(t)
	rotated, _ := m.create(t, nil)
	next := read(t, m.do(t, http.MethodPost, "/api/v1/tokens/"+string(rotated.ID)+"/rotate", ""), http.StatusCreated).Token
	revoked, _ := m.create(t, nil)
	m.revoke(t, revoked.ID)
	for id, want := range map[tokens.TokenID]struct {
		code, link string
		successor  tokens.TokenID
	}{
		rotated.ID: {"token_rotated", `</api/v1/tokens/` + string(next.ID) + `>; rel="successor-version"`, next.ID},
		revoked.ID: {"token_ended", "", ""},
	} {
		res := m.do(t, http.MethodPatch, "/api/v1/tokens/"+string(id), `{"token":{"name":"new"}}`)
		problem := wantProblem(t, res, http.StatusConflict, want.code)
		var extra struct{ Successor tokens.TokenID }
		if err := json.Unmarshal(res.Body.Bytes(), &extra); err != nil || extra.Successor != want.successor ||
			res.Header().Get("Link") != want.link || !strings.Contains(problem.Detail, string(want.successor)) {
			t.Errorf("%s %v", res.Body, res.Header())
		}
	}
}

// TestATestTokenHasAPartitionOfItsOwn: no service can mix its data with live
// ones, because introspection returns another organization. Here the real one is found again.
func TestATestTokenHasAPartitionOfItsOwn(t *testing.T) {
	t.Parallel()
	m := manage(t)
	_, live := m.create(t, nil)
	test, secret := m.create(t, func(d *tokens.Draft) { d.Environment, d.Permissions = tokens.Test, []string{"admin"} })
	found := m.introspected(t, secret)
	if _, ok := publicid.Parse("org", string(found.OrganizationID)); !ok ||
		found.OrganizationID == org || found.Environment != "test" {
		t.Errorf("%+v", found)
	}
	if found := m.introspected(t, live); found.OrganizationID != org || found.Environment != "live" {
		t.Errorf("%+v", found)
	}
	if self := m.send(t, test, http.MethodGet, "/api/v1/token", ""); self.Code != http.StatusOK ||
		!strings.Contains(self.Body.String(), `"organization":{"id":"`+string(org)+
			`","name":"Acme Citrus"},"environment":"test"`) {
		t.Errorf("%d %s", self.Code, self.Body)
	}
	wantProblem(t, m.ask(t, http.MethodGet, "/api/v1/token", org, test.ID, nil), http.StatusUnauthorized,
		"invalid_token")
	wantProblem(t, m.ask(t, http.MethodGet, "/api/v1/token", found.OrganizationID, m.token.ID, nil),
		http.StatusUnauthorized, "invalid_token")

	made := read(t, m.send(t, test, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["shipments:read"]}}`), http.StatusCreated).Token
	if made.Environment != "test" {
		t.Errorf("a test token made %+v", made)
	}
	if list := read(t, m.send(t, test, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK); list.Meta.Total != 2 ||
		len(list.Tokens) != 2 {
		t.Errorf("a test token sees %+v", list)
	}
	if list := read(t, m.do(t, http.MethodGet, "/api/v1/tokens", ""), http.StatusOK); list.Meta.Total != 4 {
		t.Errorf("a live token sees %+v", list)
	}
	wantProblem(t, m.send(t, test, http.MethodGet, "/api/v1/tokens/"+string(m.token.ID), ""),
		http.StatusNotFound, "not_found")
	if made = read(t, m.do(t, http.MethodPost, "/api/v1/tokens",
		`{"token":{"name":"ERP","permissions":["admin"],"environment":"test"}}`),
		http.StatusCreated).Token; made.Environment != "test" {
		t.Errorf("a live token made %+v", made)
	}
}
