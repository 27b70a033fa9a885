package problemdocs

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

func TestEntriesAreCompleteOrderedAndUnique(t *testing.T) {
	t.Parallel()
	all := Entries()
	for i, e := range all {
		if e.Code == "" || e.Title == "" || e.Meaning == "" || e.Remedy == "" || e.StatusText() == "" || e.Status < 400 {
			t.Errorf("%+v", e)
		}
		if i > 0 && cmp.Or(cmp.Compare(all[i-1].Status, e.Status), cmp.Compare(all[i-1].Code, e.Code)) >= 0 {
			t.Errorf("%s stands after %s", e.Code, all[i-1].Code)
		}
	}
}

// TestEveryCodeOfTheGatewayIsExplained: its problems lead here, too.
func TestEveryCodeOfTheGatewayIsExplained(t *testing.T) {
	t.Parallel()
	for code, status := range map[string]int{
		"missing_token": 401, "invalid_token": 401, "address_not_allowed": 403, "insufficient_permission": 403,
		"rate_limited": 429, "auth_unavailable": 503, "limiter_unavailable": 503, "upstream_unreachable": 502,
		"upstream_unavailable": 503, "upstream_timeout": 504, "not_found": 404, "method_not_allowed": 405, "body_too_large": 413,
		"request_timeout": 408, "client_closed_request": 499,
	} {
		if !slices.ContainsFunc(Entries(), func(e Entry) bool { return e.Code == code && e.Status == status }) {
			t.Errorf("%s (%d) has no entry", code, status)
		}
	}
}

func TestPagesArePlainAndSafe(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	mux.Handle("GET /problems", Index())
	mux.Handle("GET /problems/{code}", Page())
	paths := []string{"/problems"}
	for _, e := range Entries() {
		paths = append(paths, "/problems/"+e.Code)
	}
	for _, path := range paths {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		page := w.Body.String()
		if w.Code != http.StatusOK || w.Header().Get("Content-Type") != "text/html; charset=utf-8" ||
			!strings.HasPrefix(w.Header().Get("Content-Security-Policy"), "default-src 'none'; style-src 'sha256-") {
			t.Errorf("%s: %d %v", path, w.Code, w.Header())
		}
		for _, bad := range []string{"<script", "ZgotmplZ", "<no value>", "style=", "&amp;lt;"} {
			if strings.Contains(page, bad) {
				t.Errorf("%s has %s", path, bad)
			}
		}
		if !strings.HasPrefix(page, "<!doctype html>\n<html lang=\"en\">") || strings.Count(page, "<h1>") != 1 {
			t.Errorf("%s begins with %.80s", path, page)
		}
	}
}
