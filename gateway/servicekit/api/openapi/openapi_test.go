package openapi

import (
	"net/http"
	"net/http/httptest"
	"testing"
)

const description = "openapi: 3.1.0\ninfo:\n  title: Things\n  version: '1'\npaths: {}\ntags: [{name: b, " +
	"200: true}, {name: a, x: [1.5, null]}]\n"

const asJSON = `{"openapi":"3.1.0","info":{"title":"Things","version":"1"},"paths":{},` +
	`"tags":[{"name":"b","200":true},{"name":"a","x":[1.5,null]}]}`

func get(etag string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, "/openapi.json", nil)
	r.Header.Set("If-None-Match", etag)
	w := httptest.NewRecorder()
	Handler([]byte(description)).ServeHTTP(w, r)
	return w
}

func TestJSONHasTheContentAndOrderOfTheYAML(t *testing.T) {
	t.Parallel()
	if w := get(""); w.Code != http.StatusOK || w.Body.String() != asJSON ||
		w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

func TestAnUnchangedDescriptionIsNotSentAgain(t *testing.T) {
	t.Parallel()
	etag := get("").Header().Get("Etag")
	for _, given := range []string{etag, "*", `W/"other", ` + etag} {
		if w := get(given); w.Code != http.StatusNotModified || w.Body.Len() > 0 {
			t.Errorf("%s: %d %s", given, w.Code, w.Body)
		}
	}
	if w := get(`"other"`); w.Code != http.StatusOK {
		t.Errorf("another version: %d", w.Code)
	}
}

func TestMalformedDescriptionsAreRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"a: [", "a: *x"} {
		if _, err := JSON([]byte(text)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}
