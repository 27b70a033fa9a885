package transport_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// operations are those of the document, as a token without a body asks for
// them, by the permission that each needs.
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

// TestEveryOperationRequiresItsPermission before it reads the body, and
// says what is needed and what the token has.
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

func TestEveryRouteRequiresAnIdentity(t *testing.T) {
	t.Parallel()
	p := with(t, failing(errors.New("must not be asked")))
	for _, list := range operations(t) {
		for _, operation := range list {
			method, path, _ := strings.Cut(operation, " ")
			res := p.ask(t, method, path, org, "tok_000000000001", func(r *http.Request) { r.Header.Del("X-Organization-ID") })
			wantProblem(t, res, http.StatusUnauthorized, "missing_identity")
		}
	}
}
