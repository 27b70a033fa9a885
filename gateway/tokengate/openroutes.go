package tokengate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(new(openPaths))
	for _, directive := range []string{"handle_public", "handle_pages", "handle_session"} {
		httpcaddyfile.RegisterDirective(directive, parseOpenRoute)
		httpcaddyfile.RegisterDirectiveOrder(directive, httpcaddyfile.Before, "handle")
	}
}

// openPaths is the matcher of a route whose paths need no token. The gate of the same routes reads them from it, so
// that they are written once, and both match them alike. No request reaches it whose path is ambiguous.
type openPaths struct {
	// Paths may end with a wildcard. They are matched exactly, in the case in which they are written.
	Paths []string `json:"paths"`
	// Kind is "public", "pages" or "session".
	Kind string `json:"kind"`
}

const openPathsName = "token_gate_open"

// CaddyModule returns the Caddy module information.
func (*openPaths) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.matchers." + openPathsName, New: func() caddy.Module { return new(openPaths) }}
}

// MatchWithError implements caddyhttp.RequestMatcherWithError.
func (m *openPaths) MatchWithError(r *http.Request) (bool, error) { return m.match(r.URL.Path), nil }

func (m *openPaths) match(path string) bool {
	return slices.ContainsFunc(m.Paths, func(pattern string) bool {
		prefix, open := strings.CutSuffix(pattern, "*")
		return pattern == path || open && strings.HasPrefix(path, prefix)
	})
}

// openKinds has the rule of the gate for each kind. For another one that is the zero route, which needs a token.
var openKinds = map[string]route{"public": publicRoute, "pages": pageRoute, "session": sessionRoute}

// Validate implements caddy.Validator.
func (m *openPaths) Validate() error {
	if _, known := openKinds[m.Kind]; !known {
		return fmt.Errorf("%q is no kind of paths without a token", m.Kind)
	}
	if len(m.Paths) == 0 {
		return errors.New("a route without a token needs a path")
	}
	for _, path := range m.Paths {
		if path == "" || path[0] != '/' {
			return fmt.Errorf("%s is not a path; a route without a token takes paths, and no other matcher", path)
		}
		if strings.ContainsAny(strings.TrimSuffix(path, "*"), `*?[\{`) {
			return fmt.Errorf("%s: only the end of a path without a token may be a wildcard", path)
		}
	}
	return nil
}

// parseOpenRoute reads a route for paths that need no token. Syntax:
//
//	handle_public|handle_pages|handle_session <path...> {
//	    <directives...>
//	}
func parseOpenRoute(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	open := &openPaths{Kind: strings.TrimPrefix(h.Val(), "handle_")}
	open.Paths = h.RemainingArgs()
	if err := open.Validate(); err != nil {
		return nil, h.WrapErr(err)
	}
	h.DeleteN(len(open.Paths))
	h.Reset()
	handlers, err := httpcaddyfile.ParseSegmentAsSubroute(h)
	if err != nil {
		return nil, err
	}
	subroute := caddyconfig.JSONModuleObject(handlers, "handler", "subroute", nil)
	return []httpcaddyfile.ConfigValue{{Class: "route", Value: caddyhttp.Route{
		MatcherSetsRaw: caddyhttp.RawMatcherSets{{openPathsName: h.JSON(open)}},
		HandlersRaw:    []json.RawMessage{subroute},
	}}}, nil
}

// readRoutes reads the open routes beside the gate. Caddy loads the matchers of all routes before their handlers.
func (g *Gate) readRoutes(ctx caddy.Context) {
	for _, route := range besides(ctx) {
		for _, matcher := range slices.Concat(route.MatcherSets...) {
			if open, ok := matcher.(*openPaths); ok {
				g.open = append(g.open, open)
			}
		}
	}
}

// besides returns the routes that the module being provisioned is one of. Those behind it are not provisioned yet.
func besides(ctx caddy.Context) caddyhttp.RouteList {
	lineage := ctx.Modules()
	if len(lineage) > 1 {
		if parent, ok := lineage[len(lineage)-2].(*caddyhttp.Subroute); ok {
			return parent.Routes
		}
	}
	if server, ok := ctx.Value(caddyhttp.ServerCtxKey).(*caddyhttp.Server); ok {
		return server.Routes
	}
	return nil
}

// Interface guards
var (
	_ caddy.Validator                   = (*openPaths)(nil)
	_ caddyhttp.RequestMatcherWithError = (*openPaths)(nil)
)
