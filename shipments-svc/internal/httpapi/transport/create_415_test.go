package transport_test

import (
	"net/http"
	"testing"
)

func TestCreateRefusesBodiesThatAreNotMarkedAsJSON(t *testing.T) {
	t.Parallel()
	a := newAPI(t)
	for name, header := range map[string]http.Header{
		"none":            {"Content-Type": nil},
		"empty":           {"Content-Type": {""}},
		"text":            {"Content-Type": {"text/plain"}},
		"a form":          {"Content-Type": {"application/x-www-form-urlencoded"}},
		"a relative":      {"Content-Type": {"application/merge-patch+json"}},
		"a prefix":        {"Content-Type": {"application/jsonx"}},
		"malformed":       {"Content-Type": {"application/json; charset"}},
		"another charset": {"Content-Type": {"application/json; charset=iso-8859-1"}},
		"two":             {"Content-Type": {"application/json", "application/json"}},
		"compressed":      {"Content-Encoding": {"gzip"}},
		"a list in one":   {"Content-Type": {"application/json, text/plain"}},
	} {
		t.Run(name, func(t *testing.T) {
			a.do(t, call{method: http.MethodPost, body: valid, header: header}).
				wants(t, http.StatusUnsupportedMediaType, "unsupported_media_type")
		})
	}
	if n := a.total(t); n != 0 {
		t.Errorf("%d shipments were stored", n)
	}
}
