package problem

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"testing"
)

// TestAProblemIsTheContracts, members in order.
func TestAProblemIsTheContracts(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile("../../testdata/contract/problem.json")
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Compact(&want, content); err != nil {
		t.Fatal(err)
	}
	p := New(http.StatusUnprocessableEntity, "validation_failed", "Validation failed",
		"2 fields are not valid; see errors.")
	p.Errors = []Field{
		{Code: "required", Pointer: "/shipment/vessel", Detail: "vessel is required"},
		{Code: "invalid_parameter", Parameter: "per_page", Detail: "per_page must be a whole number from 1"},
	}
	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/api/v1/shipments?page=2", http.NoBody)
	r.Header.Set("X-Request-ID", "req_01k9x3v7t2e8sbq4m6n0pacdfh")
	p.Write(w, r)
	if got := w.Body.String(); got != want.String()+"\n" {
		t.Errorf("%s\nwant %s", got, want.String())
	}
	if w.Code != p.Status || w.Header().Get("Content-Type") != "application/problem+json" ||
		w.Header().Get("Content-Length") != strconv.Itoa(w.Body.Len()) {
		t.Errorf("%d %v", w.Code, w.Header())
	}
}

func TestAProblemHasTheHeadersOfItsStatus(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status            int
		set               string
		cache, retryAfter string
	}{
		{400, "", "", ""},
		{401, "", "no-store", ""},
		{403, "", "no-store", ""},
		{404, "", "", ""},
		{422, "", "", ""},
		{429, "", "no-store", ""},
		{500, "", "no-store", ""},
		{503, "", "no-store", "2"},
		{503, "7", "no-store", "7"},
	} {
		w := httptest.NewRecorder()
		if c.set != "" {
			w.Header().Set("Retry-After", c.set)
		}
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/", http.NoBody)
		New(c.status, "code", "Title", "detail").Write(w, r)
		if got := w.Header(); got.Get("Cache-Control") != c.cache || got.Get("Retry-After") != c.retryAfter {
			t.Errorf("%d: %v", c.status, got)
		}
	}
}

// TestAFaultOfTheWholeBodyHasThePointerOfTheWholeBody, which is "" (RFC 6901).
func TestAFaultOfTheWholeBodyHasThePointerOfTheWholeBody(t *testing.T) {
	t.Parallel()
	text, err := json.Marshal(Field{Code: "invalid_type", Detail: "the body must be an object, not null"})
	const want = `{"code":"invalid_type","pointer":"","detail":"the body must be an object, not null"}`
	if string(text) != want || err != nil {
		t.Errorf("%s, %v", text, err)
	}
}
