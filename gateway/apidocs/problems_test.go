package apidocs

import (
	"cmp"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestProblemsAreCompleteOrderedAndUnique(t *testing.T) {
	t.Parallel()
	all := readProblems()
	for i, e := range all {
		if e.Code == "" || e.Title == "" || e.Meaning == "" || e.Remedy == "" || e.StatusText() == "" || e.Status < 400 {
			t.Errorf("%+v", e)
		}
		if i > 0 && cmp.Or(cmp.Compare(all[i-1].Status, e.Status), cmp.Compare(all[i-1].Code, e.Code)) >= 0 {
			t.Errorf("%s stands after %s", e.Code, all[i-1].Code)
		}
	}
}

func TestPagesArePlainAndSafe(t *testing.T) {
	t.Parallel()
	paths := []string{"/problems"}
	for _, e := range readProblems() {
		paths = append(paths, "/problems/"+e.Code)
	}
	for _, path := range paths {
		w := httptest.NewRecorder()
		if err := new(Handler).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil), nil); err != nil {
			t.Fatal(err)
		}
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

func TestOtherPathsAreNotFound(t *testing.T) {
	t.Parallel()
	for _, path := range []string{
		"/docs/", "/docs/other", "/problems/", "/problems/no_such_code", "/problems/not_found/x",
		"/",
	} {
		err := new(Handler).ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil), nil)
		var known caddyhttp.HandlerError
		if !errors.As(err, &known) || known.StatusCode != http.StatusNotFound {
			t.Errorf("%s: %v", path, err)
		}
	}
}
