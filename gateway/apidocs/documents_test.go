package apidocs

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

func get(t *testing.T, path, encoding string) *httptest.ResponseRecorder {
	t.Helper()
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, path, nil)
	if encoding != "" {
		r.Header.Set("Accept-Encoding", encoding)
	}
	if err := new(Handler).ServeHTTP(w, r, nil); err != nil {
		t.Fatal(err)
	}
	if w.Code != http.StatusOK {
		t.Fatalf("GET %s: %d", path, w.Code)
	}
	return w
}

var loaded = regexp.MustCompile(`(?:src|href|spec-url)="([^"]*)"`)

func TestPagesLoadNothingFromOtherHosts(t *testing.T) {
	t.Parallel()
	for path, document := range map[string]string{
		"/docs":        `spec-url="/api/v1/openapi.json"`,
		"/docs/tokens": `spec-url="/api/v1/openapi/tokens.json"`,
	} {
		w := get(t, path, "")
		page := w.Body.String()
		if !strings.Contains(page, document) || strings.Count(page, "aria-current") != 1 {
			t.Errorf("%s shows another document than %s:\n%s", path, document, page)
		}
		for _, found := range loaded.FindAllStringSubmatch(page, -1) {
			if at := found[1]; at != "data:," && (!strings.HasPrefix(at, "/") || strings.HasPrefix(at, "//")) {
				t.Errorf("%s leads to %s", path, at)
			}
		}
		if p := w.Header().Get("Content-Security-Policy"); !strings.HasPrefix(p, "default-src 'none'; script-src 'self';") ||
			strings.Contains(p, "http") {
			t.Errorf("%s has the policy %s", path, p)
		}
	}
}

func TestTheScriptIsPackedAndKeptForEver(t *testing.T) {
	t.Parallel()
	packed := get(t, "/docs/redoc-"+redocVersion+".js", "gzip")
	r, err := gzip.NewReader(packed.Body)
	if err != nil {
		t.Fatal(err)
	}
	if unpacked, err := io.ReadAll(r); err != nil || len(unpacked) < 500_000 {
		t.Errorf("%d bytes unpacked: %v", len(unpacked), err)
	}
	h := packed.Header()
	if h.Get("Content-Encoding") != "gzip" || !strings.Contains(h.Get("Cache-Control"), "immutable") {
		t.Errorf("headers %v", h)
	}
}
