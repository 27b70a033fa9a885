package web

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/shipments-svc/internal/httpapi/transport"
)

// Each page needs a person of the organization in its path, with the permission of its operation of the API, which is
// one that changes something where the page does. Which permissions a role has, and none after a session or a
// membership has ended, is shown by the introspection in tokens-svc; that the gateway asks for each request, by
// token_gate.
func TestEveryPageNeedsItsPermissionInItsOrganization(t *testing.T) {
	t.Parallel()
	handler, err := New(Config{Now: time.Now, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for below, routes := range map[string][]route{
		Path: table, WebhooksPath: webhookRoutes,
	} {
		for _, rt := range routes {
			needed := string(transport.Access[strings.Replace(rt.api, " ", " /api/v1", 1)])
			method, path, _ := strings.Cut(rt.pattern, " ")
			// Any reader chooses the data that they look at, and comments ask mayComment.
			changes := method == http.MethodPost && path != "/data" && path != "/{id}/comments"
			if changes && strings.HasSuffix(needed, ":read") ||
				strings.Contains(path, "{document}") && !strings.HasPrefix(needed, "documents:") {
				t.Errorf("%s %s%s needs %s", method, below, path, needed)
			}
			path = strings.NewReplacer("{form}", "approve", "{", "", "}", "").Replace(path)
			wantRefusals(t, handler, method, below, path, needed)
		}
	}
}

// wantRefusals sends a request with every permission but the needed one, with none, of another organization, and
// without a person.
func wantRefusals(t *testing.T, handler http.Handler, method, below, path, needed string) {
	t.Helper()
	org, user := publicid.New("org"), publicid.New("usr")
	var all, others []string
	for _, p := range transport.Access {
		if all = append(all, string(p)); string(p) != needed {
			others = append(others, string(p))
		}
	}
	for _, c := range []struct {
		org, user string
		held      []string
		status    int
	}{
		{org, user, others, http.StatusForbidden},
		{org, user, nil, http.StatusForbidden},
		{publicid.New("org"), user, all, http.StatusNotFound},
		{org, "", all, http.StatusUnauthorized},
	} {
		r := httptest.NewRequestWithContext(t.Context(), method, below+"/"+org+path, http.NoBody)
		r.Header = http.Header{
			"X-Organization-Id": {c.org}, "X-User-Id": {c.user}, "X-Token-Permissions": {strings.Join(c.held, " ")},
		}
		w := httptest.NewRecorder()
		if handler.ServeHTTP(w, r); w.Code != c.status {
			t.Errorf("%s %s%s with %v: %d, want %d", method, below, path, c, w.Code, c.status)
		}
	}
}
