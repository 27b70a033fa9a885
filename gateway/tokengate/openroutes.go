package tokengate

import (
	"encoding/json"
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

// openPaths is the matcher of a route whose paths need no token. The gate of the same routes reads Paths from it, so
// that they are written once, and both match them alike.
type openPaths struct {
	Paths caddyhttp.MatchPath `json:"paths"`
	// Kind is "public", "pages" or "session", see the fields of [Gate].
	Kind string `json:"kind"`

	paths paths
}

const openPathsName = "token_gate_open"

// CaddyModule returns the Caddy module information.
func (*openPaths) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.matchers." + openPathsName, New: func() caddy.Module { return new(openPaths) }}
}

// Provision implements caddy.Provisioner.
func (m *openPaths) Provision(ctx caddy.Context) error {
	err := m.Paths.Provision(ctx)
	m.paths = newPaths(m.Paths)
	return err
}

// MatchWithError implements caddyhttp.RequestMatcherWithError.
func (m *openPaths) MatchWithError(r *http.Request) (bool, error) { return m.paths.match(r), nil }

// parseOpenRoute reads a route for paths that need no token. Syntax:
//
//	handle_public|handle_pages|handle_session <path...> {
//	    <directives...>
//	}
func parseOpenRoute(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	open := &openPaths{Kind: strings.TrimPrefix(h.Val(), "handle_")}
	for h.NextArg() {
		if h.Val()[0] != '/' {
			return nil, h.Errf("%s is not a path; this directive takes paths, and no other matcher", h.Val())
		}
		if strings.ContainsAny(strings.TrimSuffix(h.Val(), "*"), `*?[\{`) {
			return nil, h.Errf("%s: only the end of a path without a token may be a wildcard", h.Val())
		}
		open.Paths = append(open.Paths, h.Val())
	}
	if len(open.Paths) == 0 {
		return nil, h.ArgErr()
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

// addOpenRoutes adds the paths of the open routes beside the gate to its public paths and pages. Caddy provisions
// the matchers of all routes before their handlers.
func (g *Gate) addOpenRoutes(ctx caddy.Context) {
	for _, route := range besides(ctx) {
		for _, matcher := range slices.Concat(route.MatcherSets...) {
			open, ok := matcher.(*openPaths)
			if !ok {
				continue
			}
			switch open.Kind {
			case "pages":
				g.Pages = append(g.Pages, open.Paths...)
			case "session":
				g.Sessions = append(g.Sessions, open.Paths...)
			default:
				g.Public = append(g.Public, open.Paths...)
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
	_ caddy.Provisioner                 = (*openPaths)(nil)
	_ caddyhttp.RequestMatcherWithError = (*openPaths)(nil)
)
