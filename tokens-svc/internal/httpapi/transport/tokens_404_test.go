package transport_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestAnotherOrganizationsTokenIsNotFound: the response is that to an unknown
// token, and the token is not changed.
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
