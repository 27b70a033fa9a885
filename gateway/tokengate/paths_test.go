package tokengate

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"testing"
)

func TestOnlyThePathsOfOpenRoutesNeedNoToken(t *testing.T) {
	t.Parallel()

	g := &Gate{open: []*openPaths{
		{Kind: "public", Paths: []string{"/docs", "/docs/*", "/x*"}},
		{Kind: "pages", Paths: []string{"/sign-in/*"}},
		{Kind: "session", Paths: []string{"/shipments"}},
	}}
	for path, want := range map[string]route{
		"/docs": publicRoute, "/docs/": publicRoute, "/docs/a/b": publicRoute, "/x": publicRoute, "/xy/z": publicRoute,
		"/sign-in/a": pageRoute, "/shipments": sessionRoute,
		"": tokenRoute, "/": tokenRoute, "/docsx": tokenRoute, "/Docs": tokenRoute, "/sign-in": tokenRoute,
		"/sign-in/../api": tokenRoute, "/docs//a": tokenRoute, "/docs/..;/api": tokenRoute, "/shipments/": tokenRoute,
		`/docs/..\api`: tokenRoute, "/\u017fhipments": tokenRoute, "/docs/*": publicRoute,
	} {
		u := &url.URL{Path: path}
		if got := g.routeOf(&http.Request{URL: u}, !isUnambiguous(u)); got != want {
			t.Errorf("%q: %d, want %d", path, got, want)
		}
	}
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
