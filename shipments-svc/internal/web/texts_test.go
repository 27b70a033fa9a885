package web_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestEachTextIsOnPagesAndInExports: each of shipments.TextFields is an input of the forms, and shown where it was
// given.
func TestEachTextIsOnPagesAndInExports(t *testing.T) {
	t.Parallel()
	s := start(t)
	base := "/shipments/" + s.org
	form := url.Values{"key": {"k"}}
	var inputs, values []string
	for _, text := range shipments.TextFields {
		form.Set(text.Name, "The "+text.Name)
		inputs, values = append(inputs, `name="`+text.Name+`"`), append(values, "The "+text.Name)
	}
	want(t, s.get(t, base+"/new"), http.StatusOK, inputs...)
	created := s.post(t, base, form).Header().Get("Location")
	path, _, _ := strings.Cut(created, "?")
	for _, page := range []string{path, path + "/edit", base + "/export.csv"} {
		want(t, s.get(t, page), http.StatusOK, values...)
	}
}
