package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func TestEarlyRejectionAppliesOnlyToRequestsThatNeedNothingOfCaddy(t *testing.T) {
	t.Parallel()

	e := &earlyRejection{
		gate: &Gate{
			public: newPaths(caddyhttp.MatchPath{"/docs", "/docs/*"}), pages: newPaths(caddyhttp.MatchPath{"/sign-in"}),
		},
		server: &caddyhttp.Server{ClientIPHeaders: []string{"X-Forwarded-For", "x-real-ip"}},
	}
	for name, tt := range map[string]struct {
		change func(*http.Request)
		want   string
	}{
		"plain":                    {func(*http.Request) {}, "192.0.2.1"},
		"mapped address":           {func(r *http.Request) { r.RemoteAddr = "[::ffff:192.0.2.1]:1" }, "192.0.2.1"},
		"address with a zone":      {func(r *http.Request) { r.RemoteAddr = "[fe80::1%eth0]:1" }, "fe80::1"},
		"host with a port":         {func(r *http.Request) { r.Host = "api.example:8080" }, "192.0.2.1"},
		"body":                     {func(r *http.Request) { r.ContentLength = 1 }, ""},
		"body of unknown length":   {func(r *http.Request) { r.ContentLength = -1 }, ""},
		"word of a proxy":          {func(r *http.Request) { r.Header.Set("X-Forwarded-For", "") }, ""},
		"word of another proxy":    {func(r *http.Request) { r.Header.Set("X-Real-IP", "192.0.2.9") }, ""},
		"no address":               {func(r *http.Request) { r.RemoteAddr = "@" }, ""},
		"no host":                  {func(r *http.Request) { r.Host = "" }, ""},
		"host of dots":             {func(r *http.Request) { r.Host = "...:80" }, ""},
		"host of an IPv6 address":  {func(r *http.Request) { r.Host = "[::1]:80" }, ""},
		"host of odd characters":   {func(r *http.Request) { r.Host = "api.exa mple" }, ""},
		"method that is too long":  {func(r *http.Request) { r.Method = strings.Repeat("M", 33) }, ""},
		"path with a dot segment":  {func(r *http.Request) { r.URL.Path = "/api/../sign-in" }, ""},
		"path with an empty one":   {func(r *http.Request) { r.URL.Path = "//sign-in" }, ""},
		"path with odd characters": {func(r *http.Request) { r.URL.Path = "/sign-in;x" }, ""},
		"no path":                  {func(r *http.Request) { r.URL.Path = "" }, ""},
		"percent-encoded path":     {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/a", "/%61" }, ""},
		"percent-encoded public":   {func(r *http.Request) { r.URL.Path, r.URL.RawPath = "/docs", "/%64ocs" }, ""},
		"public path":              {func(r *http.Request) { r.URL.Path = "/docs/start" }, ""},
		"page":                     {func(r *http.Request) { r.URL.Path = "/sign-in" }, ""},
	} {
		r := httptest.NewRequest(http.MethodGet, "/api/v1/shipments?page=1", http.NoBody)
		tt.change(r)
		caller, ok := e.applies(r)
		if ok != (tt.want != "") || ok && caller.String() != tt.want {
			t.Errorf("%s: %s, %v", name, caller, ok)
		}
	}
}

func TestOnlyAFirstHandlerRejectsEarly(t *testing.T) {
	t.Parallel()

	g, another := new(Gate), new(Gate)
	route := func(handlers ...caddyhttp.MiddlewareHandler) caddyhttp.Route {
		return caddyhttp.Route{Handlers: handlers}
	}
	matched := route(g)
	matched.MatcherSets = caddyhttp.MatcherSets{{}}
	strict := true
	for name, tt := range map[string]struct {
		server *caddyhttp.Server
		want   bool
	}{
		"first":                 {&caddyhttp.Server{Routes: caddyhttp.RouteList{route(g), route(another)}}, true},
		"second":                {&caddyhttp.Server{Routes: caddyhttp.RouteList{route(another), route(g)}}, false},
		"second of its route":   {&caddyhttp.Server{Routes: caddyhttp.RouteList{route(another, g)}}, false},
		"for some requests":     {&caddyhttp.Server{Routes: caddyhttp.RouteList{matched}}, false},
		"behind a check of TLS": {&caddyhttp.Server{Routes: caddyhttp.RouteList{route(g)}, StrictSNIHost: &strict}, false},
		"for errors only":       {&caddyhttp.Server{}, false},
	} {
		if got := g.isFirstIn(tt.server); got != tt.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
