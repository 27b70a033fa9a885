package tokengate

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// somePaths are patterns of every kind, plain ones alone first.
var somePaths = []caddyhttp.MatchPath{
	{"/api/v1/openapi.json", "/api/v1/openapi/tokens.json", "/problems", "/problems/*"},
	{"/sign-in", "/sign-in/*", "/settings", "/settings/*"},
	{"/", "/*"},
	{"/docs*", "/a/../b", "/a//b", "*.json", "/%61/*", "/x/*/y"},
	{},
}

// FuzzPathsAgreeWithTheMatcher: what is quicker must not let another path past the token.
func FuzzPathsAgreeWithTheMatcher(f *testing.F) {
	for _, path := range []string{
		"", "/", "//", "/.", "/..", "/settings", "/Settings/", "/SETTINGS/x", "/settingsx", "/settings/../api/v1/shipments",
		"/settings//x", "//settings", "/./settings", "/settings/.", "/problems/not_found", "/api/v1/openapi.json", "/api/v1/openapi.json/",
		"/settings\x00", "/\u212aettings", "/\u017fettings", "/sett\u0131ngs", "/settings/*", "/*", "settings", "/a/b", "/x/1/y", "/docs.json", "/ settings",
	} {
		f.Add(path)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, matcher := range somePaths {
			r := withReplacer(&http.Request{URL: &url.URL{Path: path}})
			want, err := matcher.MatchWithError(r)
			if got := newPaths(matcher).match(r); got != (want && err == nil) {
				t.Errorf("%q with %q: %v, the matcher says %v, %v", path, matcher, got, want, err)
			}
		}
	})
}

func BenchmarkPaths(b *testing.B) {
	public, pages := newPaths(somePaths[0]), newPaths(somePaths[1])
	r := withReplacer(&http.Request{URL: &url.URL{Path: "/api/v1/shipments/ship_01k9x3v7t2e8sbq4m6n0pacdfg"}})
	b.ReportAllocs()
	for b.Loop() {
		if public.match(r) || pages.match(r) {
			b.Fatal("matched")
		}
	}
}
