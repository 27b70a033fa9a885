package tokengate

import (
	"encoding/json"
	"net/http"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	caddy.RegisterModule(new(openRoute))
	for _, directive := range []string{"handle_public", "handle_pages"} {
		httpcaddyfile.RegisterDirective(directive, parseOpenRoute)
		httpcaddyfile.RegisterDirectiveOrder(directive, httpcaddyfile.Before, "handle")
	}
}

// openRoute marks a route whose paths need no token: the gate of the same routes reads Paths, so that these are
// written once. As a handler it does nothing.
type openRoute struct {
	Paths caddyhttp.MatchPath `json:"paths"`
	// Pages: the paths are pages, see [Gate.Pages]; otherwise they are public, see [Gate.Public].
	Pages bool `json:"pages,omitempty"`
}

const openRouteName = "token_gate_open"

// CaddyModule returns the Caddy module information.
func (*openRoute) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers." + openRouteName, New: func() caddy.Module { return new(openRoute) }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (*openRoute) ServeHTTP(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	return next.ServeHTTP(w, r)
}

// parseOpenRoute reads a route for paths that need no token. Syntax:
//
//	handle_public|handle_pages <path...> {
//	    <directives...>
//	}
func parseOpenRoute(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	mark := &openRoute{Pages: h.Val() == "handle_pages"}
	for h.NextArg() {
		if h.Val()[0] != '/' {
			return nil, h.Errf("%s is not a path; this directive takes paths, and no other matcher", h.Val())
		}
		mark.Paths = append(mark.Paths, h.Val())
	}
	if len(mark.Paths) == 0 {
		return nil, h.ArgErr()
	}
	h.DeleteN(len(mark.Paths))
	h.Reset()
	handlers, err := httpcaddyfile.ParseSegmentAsSubroute(h)
	if err != nil {
		return nil, err
	}
	return []httpcaddyfile.ConfigValue{{Class: "route", Value: caddyhttp.Route{
		MatcherSetsRaw: caddyhttp.RawMatcherSets{{"path": h.JSON(mark.Paths)}},
		HandlersRaw: []json.RawMessage{
			caddyconfig.JSONModuleObject(mark, "handler", openRouteName, nil),
			caddyconfig.JSONModuleObject(handlers, "handler", "subroute", nil),
		},
	}}}, nil
}

// addOpenRoutes adds the paths of the marked routes beside the gate to its public paths and pages.
func (g *Gate) addOpenRoutes(ctx caddy.Context) {
	for _, route := range besides(ctx) {
		if len(route.HandlersRaw) == 0 {
			continue
		}
		var mark struct {
			Handler string `json:"handler"`
			openRoute
		}
		if err := json.Unmarshal(route.HandlersRaw[0], &mark); err != nil || mark.Handler != openRouteName {
			continue // Caddy reports faulty handlers
		}
		if mark.Pages {
			g.Pages = append(g.Pages, mark.Paths...)
		} else {
			g.Public = append(g.Public, mark.Paths...)
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

// Interface guard
var _ caddyhttp.MiddlewareHandler = (*openRoute)(nil)
