package web

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestTextsThatPostgresCannotStoreAreRejected on every route: an id that is not UTF-8
// names nothing, and a form with such a value is not read.
func TestTextsThatPostgresCannotStoreAreRejected(t *testing.T) {
	t.Parallel()
	w := start(t)
	visitors := []*browser{w.browser(), w.member(t, tokens.RoleOwner)}
	for _, rt := range table {
		method, pattern, _ := strings.Cut(rt.pattern, " ")
		for _, bad := range []string{"%ff", "%00"} {
			for _, name := range []string{"{org}", "{token}", "{user}", "{invitation}"} {
				if !strings.Contains(pattern, name) {
					continue
				}
				_, path := concrete(method + " " + strings.Replace(pattern, name, bad, 1))
				for _, b := range visitors {
					if res := b.send(t, method, path, nil, nil); res.Code != http.StatusNotFound {
						t.Errorf("%s %s: %d", method, path, res.Code)
					}
				}
			}
			if method != http.MethodPost {
				continue
			}
			_, path := concrete(rt.pattern)
			value, _ := url.PathUnescape(bad)
			for _, field := range []string{"email", "name", "x" + value} {
				for _, b := range visitors {
					if res := b.post(t, path, url.Values{
						"password": {"correct horse"},
						field:      {"a" + value},
					}); res.Code != http.StatusBadRequest {
						t.Errorf("%s with %s: %d", rt.pattern, field, res.Code)
					}
				}
			}
		}
	}
}
