package transport_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestOtherMethodsAreRefusedWithThoseThatExist(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for path, allow := range map[string]string{
		collection:                             "GET, HEAD, POST",
		collection + "/ship_x":                 "DELETE, GET, HEAD, PATCH",
		collection + "/ship_x/approve":         "POST",
		collection + "/ship_x/history":         "GET, HEAD",
		collection + "/ship_x/documents":       "GET, HEAD, POST",
		collection + "/ship_x/documents/doc_x": "DELETE, GET, HEAD",
		"/api/v1/openapi.json":                 "GET, HEAD",
	} {
		for _, method := range []string{http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions, "QUERY"} {
			if strings.Contains(allow, method) {
				continue
			}
			res := a.do(t, call{method: method, path: path, body: valid})
			res.wants(t, http.StatusMethodNotAllowed, "method_not_allowed")
			if got := res.header.Get("Allow"); got != allow {
				t.Errorf("%s %s: Allow is %q, want %q", method, path, got, allow)
			}
		}
	}
}
