package problem

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func newMux() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte(r.PathValue("id")))
	})
	mux.HandleFunc("POST /things/{id}", func(http.ResponseWriter, *http.Request) {})
	mux.HandleFunc("GET /tree/", func(http.ResponseWriter, *http.Request) {})
	return Mux(mux)
}

func TestRequestsWithoutARouteAreProblems(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		method, path string
		status       int
		code, allow  string
	}{
		{http.MethodGet, "/", 404, "not_found", ""},
		{http.MethodGet, "/things", 404, "not_found", ""},
		{http.MethodGet, "/things/", 404, "not_found", ""},
		{http.MethodGet, "/things/1/", 404, "not_found", ""},
		{http.MethodGet, "//things/1", 404, "not_found", ""},
		{http.MethodGet, "/things/../things/1", 404, "not_found", ""},
		{http.MethodPost, "/./things/1", 404, "not_found", ""},
		{http.MethodGet, "/tree//x", 404, "not_found", ""},
		{http.MethodDelete, "/things/1", 405, "method_not_allowed", "GET, HEAD, POST"},
		{"BREW", "/things/1", 405, "method_not_allowed", "GET, HEAD, POST"},
		{http.MethodPost, "/tree/x", 405, "method_not_allowed", "GET, HEAD"},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), c.method, "http://example.org"+c.path, http.NoBody)
		r.Header.Set("X-Request-ID", "req_1")
		newMux().ServeHTTP(w, r)
		var p Problem
		if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
			t.Errorf("%s %s: %v: %s", c.method, c.path, err, w.Body)
			continue
		}
		if w.Code != c.status || p.Code != c.code || p.Instance != c.path || p.RequestID != "req_1" ||
			w.Header().Get("Allow") != c.allow || w.Header().Get("Location") != "" {
			t.Errorf("%s %s: %d %v %+v", c.method, c.path, w.Code, w.Header(), p)
		}
	}
}

func TestMuxServesItsRoutes(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{"/things/1": "1", "/things/a%2Fb": "a/b", "/tree/": "", "/tree/x/y": "", "/tree/x/": ""} {
		w := httptest.NewRecorder()
		newMux().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, http.NoBody))
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %s", path, w.Code, w.Body)
		}
	}
}
