package tokengate

import (
	"net/http"
	"strings"
	"testing"
)

func TestA404NamesThePathThatWasProbablyMeant(t *testing.T) {
	t.Parallel()

	g := &Gate{known: []string{"/api/v1/shipments", "/api/v1/shipments/*", "/api/v1/token", "/docs/*"}}
	for path, want := range map[string]string{
		"/api/v1/shipments/":       "/api/v1/shipments?",
		"/api/v1/shipment":         "/api/v1/shipments?",
		"/api/v2/shipments":        "/api/v1/shipments?",
		"/api/v1/shipment/ship_1/": "/api/v1/shipments/ship_1?",
		"/api/v1/shipment/..":      "",
		"/api/v1/":                 "",
		"/api/v1/nowhere":          "",
		"/api/v3/other":            "",
		"/nowhere":                 "",
		"/api/v1/shipments/a/b":    "",
		"/api/v1/tokne":            "/api/v1/token?",
		"/api/v1/completely/other": "",
	} {
		p := g.nothingAt(chainProblems[http.StatusNotFound], path)
		if got := strings.Contains(p.Detail, "did you mean "); got != (want != "") || !strings.Contains(p.Detail, want) {
			t.Errorf("%s: %s", path, p.Detail)
		}
	}
}
