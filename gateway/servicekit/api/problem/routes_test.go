package problem

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func newRoutes() *Routes {
	mux := NewRoutes()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.PathValue("id")))
	})
	mux.HandleFunc("POST /things/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /v1/trees/{id}/leafs", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /tree/", func(http.ResponseWriter, *http.Request) {})
	return mux
}

func TestRequestsWithoutARouteAreProblems(t *testing.T) {
	t.Parallel()
	const nothing, allowed = "There is nothing at this path", "DELETE is not allowed here; allowed:"
	for _, c := range []struct {
		method, path string
		status       int
		code, allow  string
		detail       string
	}{
		{http.MethodGet, "/", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/things", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/nonsense/1", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/thing/%20", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/things/1/", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/v2/trees/1/leaf", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "//things/1", 404, "not_found", "", nothing + "."},
		{http.MethodGet, "/things/../things/1", 404, "not_found", "", nothing + "."},
		{http.MethodPost, "/./things/1", 404, "not_found", "", nothing + "."},
		{http.MethodDelete, "/things/1", 405, "method_not_allowed", "GET, HEAD, POST", allowed + " GET, HEAD, POST."},
		{
			"BREW", "/things/1", 405, "method_not_allowed", "GET, HEAD, POST",
			"BREW is not allowed here; allowed: GET, HEAD, POST.",
		},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), c.method, "http://example.org"+c.path, http.NoBody)
		r.Header.Set("X-Request-ID", "req_1")
		newRoutes().ServeHTTP(w, r)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Errorf("%s %s: %v: %s", c.method, c.path, err, w.Body)
			continue
		}
		if w.Code != c.status || p.Code != c.code || p.Instance != c.path || p.RequestID != "req_1" || p.Detail != c.detail ||
			w.Header().Get("Allow") != c.allow || w.Header().Get("Location") != "" {
			t.Errorf("%s %s: %d %v %+v", c.method, c.path, w.Code, w.Header(), p)
		}
	}
}

func TestRoutesAreServed(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/things/1": "1", "/things/a%2Fb": "a/b", "/tree/": "", "/tree/x/y": "",
		"/tree/x/": "",
	} {
		w := httptest.NewRecorder()
		newRoutes().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
