package web_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestAClientThatLeavesIsNoServerError: a list or an export that it did not wait for is logged as 499, without an
// error.
func TestAClientThatLeavesIsNoServerError(t *testing.T) {
	t.Parallel()
	for _, page := range []string{"/list", "/export.csv", "/export.xlsx"} {
		s := start(t)
		s.fill(t, 2000)
		for _, late := range []bool{false, true} {
			ctx, leave := context.WithCancel(t.Context())
			w := &breaking{ResponseRecorder: httptest.NewRecorder(), broken: leave}
			if !late {
				leave()
			}
			func() {
				defer func() { _ = recover() }()
				r := s.request(t, http.MethodGet, "/shipments/"+s.org+page, "", http.NoBody) //nolint:contextcheck // it leaves
				s.ServeHTTP(w, r.WithContext(ctx))
			}()
			if !strings.Contains(page, ".") && late { // a page is complete before it is sent
				continue
			}
			if log := s.log.String(); !strings.Contains(log, `"status":499`) || strings.Contains(log, "ERROR") {
				t.Errorf("%q, %t: %s", page, late, log)
			}
			s.log.Reset()
		}
	}
}
