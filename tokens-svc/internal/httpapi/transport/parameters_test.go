package transport

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
)

// FuzzListParameters: a query is understood as the API document has it, or
// refused.
func FuzzListParameters(f *testing.F) {
	for _, seed := range []string{
		"", "page=1", "page=", "per_page=101&status=all", "status=", "status=%ff", "page=1&page=1", "page=+1", "x=1", "a;b", "%zz", "page=01",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, query string) {
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/tokens", http.NoBody)
		r.URL.RawQuery = query
		q, err := decodeList(r)
		if err != nil {
			return
		}
		values, wrong := url.ParseQuery(query)
		for name, given := range values {
			allowed := name == "status" && slices.Contains([]string{"active", "expiring", "expired", "revoked", "all"}, given[0]) ||
				(name == "page" || name == "per_page") && strings.Trim(given[0], "0123456789") == "" && strings.Trim(given[0], "0") != ""
			if len(given) != 1 || !allowed {
				t.Errorf("%q is accepted: %s has %q", query, name, given)
			}
		}
		if wrong != nil || q.Page.Number < 1 || q.Page.Size < 1 || q.Page.Size > maxPerPage {
			t.Errorf("%q is read as %+v (%v)", query, q, wrong)
		}
	})
}
