package tokengate

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// loadSite loads a site with a gate, pages, public paths and these files of routes, the last one its own, and returns its
// handler or why it is refused. DIR in the error stands for the directory of the files.
func loadSite(t *testing.T, files ...string) (site caddyhttp.MiddlewareHandler, refused string) {
	t.Helper()
	dir := t.TempDir()
	for i, text := range files {
		name := fmt.Sprintf("%d.caddy", i)
		if i == len(files)-1 {
			name = "own"
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	raw, _, err := caddyconfig.GetAdapter("caddyfile").Adapt([]byte(`:1 {
	token_gate {
		credential_file `+credentialFile(t)+`
		demo true
	}
	handle_public /docs /docs/* {
		respond docs
	}
	service_routes `+dir+`/own `+dir+`/*.caddy
	handle {
		error 404
	}
}`), nil)
	if err != nil {
		return nil, strings.ReplaceAll(err.Error(), dir, "DIR")
	}
	var config struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct{ Routes json.RawMessage }
			}
		}
	}
	if err := json.Unmarshal(raw, &config); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	t.Cleanup(cancel)
	loaded, err := ctx.LoadModuleByID("http.handlers.subroute", fmt.Appendf(nil, `{"routes":%s}`, config.Apps.HTTP.Servers["srv0"].Routes))
	if err != nil {
		return nil, err.Error()
	}
	return loaded.(caddyhttp.MiddlewareHandler), ""
}

const ownPages = "handle_pages /settings /settings/* {\n\trespond settings\n}\n@tokens path /api/v1/token /api/v1/tokens/*\nhandle @tokens {\n\trespond tokens\n}\n"

func TestPathsOfOpenRoutesNeedNoTokenAndAllOthersDo(t *testing.T) {
	t.Parallel()

	site, refused := loadSite(t, "handle /settings2 {\n\trespond a\n}\n@tokens path /api/v1/b\nhandle @tokens {\n\trespond b\n}\nhandle_public /open/* {\n\trespond open\n}\n", ownPages)
	if refused != "" {
		t.Fatal(refused)
	}
	for path, want := range map[string]string{
		"/docs": "docs", "/docs/a": "docs", "/settings": "settings", "/settings/a": "settings", "/open/a": "open", "/Open/a": "open",
		"/": "", "/open": "", "/settings2": "", "/api/v1/b": "", "/api/v1/token": "",
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, nil)
		if err := site.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error { return nil })); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		if want == "" {
			if w.Code != http.StatusUnauthorized {
				t.Errorf("%s: %d %s", path, w.Code, w.Body)
			}
			continue
		}
		if w.Code != http.StatusOK || w.Body.String() != want {
			t.Errorf("%s: %d %s, want %s", path, w.Code, w.Body, want)
		}
	}
}

func TestRoutesThatReachBeyondTheirFileOrTakePathsOfOthersAreRefused(t *testing.T) {
	t.Parallel()

	const respond = " {\n\trespond a\n}\n"
	for text, want := range map[string]string{
		"}\n":                                            "DIR/0.caddy:1: this } closes nothing",
		"handle /a" + respond + "}\n":                    "DIR/0.caddy:4: this } closes nothing",
		"handle /a {\nhandle /b" + respond:               "DIR/0.caddy:1: this { is not closed",
		"@a {\npath /a\n":                                "DIR/0.caddy:1: this { is not closed",
		"import x\n":                                     "DIR/0.caddy:1: import",
		"handle /a {\n\"import\" x\n}\n":                 "DIR/0.caddy:2: import",
		"# a\nheader A b\n":                              "DIR/0.caddy:2: header is not one of",
		"handle" + respond:                               "DIR/0.caddy:1: handle needs a path or a matcher",
		"handle_public" + respond:                        "DIR/0.caddy:1: handle_public needs a path or a matcher",
		"handle /a {\nunknown\n}\n":                      "DIR/0.caddy:1: ",
		"handle_public /a {\nlimits a {\ncost 2\n}\n}\n": "limits counts requests by their token",
		"handle_public /a?" + respond:                    "only the end",
		"handle_public /[a]" + respond:                   "only the end",
		"handle /a" + respond + "handle /b {\nlimits x {\ntoken 1 1m\n}\n}\nhandle /c {\nlimits x {\ntoken 2 60s\n}\n}\n": "DIR/0.caddy:10: limits x token is 2 1m0s, and 1 1m0s at DIR/0.caddy:5; limits of one name",
		"handle /b {\nlimits x {\nconcurrent 1\n}\nlimits x {\nconcurrent 2\n}\n}\n":                                      "DIR/0.caddy:5: limits x concurrent is 2, and 1 at DIR/0.caddy:2",
		"handle_public a" + respond:                   "a is not a path",
		"handle_public /a*b" + respond:                "only the end",
		"handle_pages /*/b" + respond:                 "only the end",
		"handle_public /{path}" + respond:             "only the end",
		"handle_pages /settings/a" + respond:          "DIR/0.caddy:1: /settings/a takes requests for the shipped path /settings/*",
		"handle_public /set*" + respond:               "/set* takes requests for the shipped path /settings",
		"handle_public /DOCS" + respond:               "the paths /docs and /docs of",
		"handle /docs/a" + respond:                    "/docs/a is never reached: a route before it takes /docs/*",
		"handle /api/v1/token" + respond:              "/api/v1/token takes requests for the shipped path /api/v1/token",
		"handle /api/*/token" + respond:               "/api/*/token takes requests for the shipped path /api/v1/token",
		"handle /api/v1/*" + respond:                  "/api/v1/* takes requests for the shipped path /api/v1/token",
		"handle /a" + respond + "handle /a" + respond: "2 routes for /a",
	} {
		if _, refused := loadSite(t, text, ownPages); !strings.Contains(refused, want) {
			t.Errorf("%q: %s, want %s", text, refused, want)
		}
	}
}

func TestLimitsOfOneNameHaveTheSameNumbersInAllFiles(t *testing.T) {
	t.Parallel()

	const a, b = "handle /a {\nlimits x {\ntoken 1 1m\n}\n}\n", "handle /b {\nlimits x {\ntoken 1 2m\norganization 5 1m\n}\n}\n"
	const want = "DIR/1.caddy:2: limits x token is 1 2m0s, and 1 1m0s at DIR/0.caddy:2"
	if _, refused := loadSite(t, a, b, ownPages); !strings.Contains(refused, want) {
		t.Errorf("%s, want %s", refused, want)
	}
	same := strings.Replace(b, "2m", "60s", 1)
	if _, refused := loadSite(t, a, same, "handle /c {\nlimits y {\ntoken 9 1m\n}\n}\n", ownPages); refused != "" {
		t.Error(refused)
	}
}

func TestPatternsMeetIfAPathMatchesBoth(t *testing.T) {
	t.Parallel()

	for patterns, want := range map[[2]string]bool{
		{"/a", "/a"}: true, {"/a", "/b"}: false, {"/a", "/a/"}: false, {"/a", "/ab"}: false, {"*", "/a/b"}: true, {"*", "*"}: true,
		{"/a*", "/a"}: true, {"/a*", "/a/b/c"}: true, {"/a/*", "/a"}: false, {"/a/*", "/a/b/c"}: true, {"/ab*", "/a*"}: true, {"/ab*", "/ac*"}: false,
		{"/a/*/c", "/a/b/*"}: true, {"/a/*/c", "/a/b/c/*"}: false, {"/a/*/c", "/a/b/d"}: false, {"/a/*/c", "/*/b/c"}: true,
		{"/a/*/*", "/a/b"}: false, {"/a/*/*", "/a/b/c/d"}: false, {"/a/*/*", "/a/b/*"}: true, {"/*/*", "/a/*/c"}: false, {"/*/*/*", "/a/*/c"}: true,
		{"*.php", "/a/b.php"}: true, {"*.php", "/a/*"}: true, {"*.php", "/a.html"}: false, {"*a*", "/b/c/d"}: false, {"*a*", "/b/a/d"}: true,
		{"/a/*b/c", "/a/x*/c"}: true, {"/a/*b/c", "/a/x/c"}: false,
	} {
		if meet(patterns[0], patterns[1]) != want || meet(patterns[1], patterns[0]) != want {
			t.Errorf("%v: want %t", patterns, want)
		}
	}
}

func TestRoutesThatTakeNothingOfOthersAreAccepted(t *testing.T) {
	t.Parallel()

	const respond = " {\n\trespond \"}\"\n}\n"
	if _, refused := loadSite(t, "", "# none\n", "handle /api/v1/tokens"+respond, "handle_public /settings2 /a/*"+respond,
		"@a {\npath /api/v1/tokens/*/a\nmethod PATCH\n}\nhandle @a"+respond,
		"@a path /b\nhandle @a"+respond+"@c {\npath /b\nmethod PATCH\n}\n", ownPages); refused != "" {
		t.Error(refused)
	}
}
