package tokengate

import (
	"net/http"
	"net/url"
	"path"
	"strings"
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
	for _, seed := range []string{
		"", "/", "//", "/.", "/..", "/settings", "/Settings/", "/SETTINGS/x", "/settingsx", "/settings/../api/v1/shipments",
		"/settings//x", "//settings", "/./settings", "/settings/.", "/problems/not_found", "/api/v1/openapi.json",
		"/api/v1/openapi.json/",
		"/settings\x00", "/\u212aettings", "/\u017fettings", "/sett\u0131ngs", "/settings/*", "/*", "settings", "/a/b",
		"/x/1/y", "/docs.json", "/ settings",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, path string) {
		for _, matcher := range somePaths {
			r := withReplacer(&http.Request{URL: &url.URL{Path: path}})
			want, err := matcher.MatchWithError(r)
			if got := newPaths(matcher).match(r); got != (want && err == nil && isUnambiguous(r.URL)) {
				t.Errorf("%q with %q: %v, the matcher says %v, %v", path, matcher, got, want, err)
			}
		}
	})
}

// FuzzAStraightPathIsReadTheSameByAll: by those who clean it before or after they decode it, and by those who take
// a backslash for a slash.
func FuzzAStraightPathIsReadTheSameByAll(f *testing.F) {
	for target, straight := range map[string]bool{
		"/": true, "/a": true, "/a/": true, "/a/b;c": true, "/a;/b": true, "/a.b/.c": true, "/...": true, "/%61": true,
		"/a%20b": true, "/a%3f": true, "/a%25": true,
		"//": false, "/a//b": false, "/.": false, "/a/..": false, "/a/./b": false, "/a/..;/b": false, "/a/.;x": false,
		"/%2e%2e/a": false, "/a/%2E": false,
		"/a%2fb": false, "/a%2Fb": false, "/a%5cb": false, `/a\b`: false, "/%00": false, "/a%0d%0ab": false, "/%7f": false,
	} {
		u, err := url.ParseRequestURI(target)
		if err != nil {
			f.Fatal(err)
		}
		if isUnambiguous(u) != straight {
			f.Errorf("%q is straight: %v", target, !straight)
		}
		f.Add(target)
	}
	for _, none := range []string{"", "*", "a"} {
		if isUnambiguous(&url.URL{Path: none}) {
			f.Errorf("%q is straight", none)
		}
	}
	f.Fuzz(func(t *testing.T, target string) {
		u, err := url.ParseRequestURI(target)
		if err != nil || !isUnambiguous(u) {
			return
		}
		decodedLast, err := url.PathUnescape(path.Clean(u.EscapedPath()))
		if err != nil {
			t.Fatal(err)
		}
		for _, read := range []string{path.Clean(u.Path), path.Clean(strings.ReplaceAll(u.Path, `\`, "/")), decodedLast} {
			if read != u.Path && read+"/" != u.Path {
				t.Errorf("%q can be read as %q", target, read)
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
