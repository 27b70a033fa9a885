package tokengate

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"golang.org/x/net/http/httpguts"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
)

// route is the rule of the gate that a request falls under.
type route int

const (
	tokenRoute     route = iota // needs a token
	pageRoute                   // uses a session instead of a token, which the service reads itself
	sessionRoute                // needs the session of a person
	publicRoute                 // needs nothing
	preflightRoute              // is answered here
)

// routeOf returns the route of r, whose path may be ambiguous.
func (g *Gate) routeOf(r *http.Request, ambiguous bool) route {
	found := tokenRoute
	if !ambiguous {
		for _, open := range g.open {
			if open.match(r.URL.Path) {
				found = openKinds[open.Kind]
				break
			}
		}
	}
	if (found == tokenRoute || found == publicRoute) && g.cors.isPreflight(r) {
		return preflightRoute
	}
	return found
}

// isUnambiguous reports whether all readers of u see the same path: it begins with a slash, has no empty segment
// but at its end, none that is . or .., no backslash and no control character, however they are written, and no
// slash that is written as %2F. Whatever is not has no route: a matcher that cleans it, a service that does not,
// and a proxy in between that does half of it would each take it for something else. The part of a segment after a
// semicolon does not count, because some ignore it.
func isUnambiguous(u *url.URL) bool {
	if u.Path == "" || u.Path[0] != '/' || strings.Contains(u.Path, "//") ||
		strings.Contains(strings.ToLower(u.RawPath), "%2f") {
		return false
	}
	for i := range len(u.Path) {
		if c := u.Path[i]; c < ' ' || c == 0x7f || c == '\\' {
			return false
		}
	}
	for segment := range strings.SplitSeq(u.Path, "/") {
		if segment, _, _ = strings.Cut(segment, ";"); segment == "." || segment == ".." {
			return false
		}
	}
	return true
}

// checkDestination returns an error for a request that no next handler may see: its path is read differently by
// different readers, or its method is for something else than a resource: a tunnel (CONNECT), or the request
// itself with its secrets (TRACE), or HTTP/2 carried what HTTP/1.1 cannot: another request line, or two lengths.
func (x *exchange) checkDestination(r *http.Request) error {
	switch {
	case !httpguts.ValidHeaderFieldName(r.Method) || strings.Contains(r.URL.RawQuery, " ") || // a method is a token, too
		len(r.Header["Content-Length"]) > 1:
		return caddyhttp.Error(http.StatusBadRequest, errors.New("not a request of HTTP/1.1"))
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		x.Header().Set("Allow", forwarded)
		return caddyhttp.Error(http.StatusMethodNotAllowed, errors.New("not a method for resources"))
	case x.ambiguous:
		return caddyhttp.Error(http.StatusNotFound, errors.New("the path can be read in several ways"))
	case x.route == tokenRoute && r.URL.Path != "/" && strings.HasSuffix(r.URL.Path, "/"):
		return caddyhttp.Error(http.StatusNotFound, errors.New("no resource's path ends with a slash"))
	default:
		return nil
	}
}

// forwarded are the methods that a service may allow. Which of them a resource has, its own 405 says.
const forwarded = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// clientAddress is the address that Caddy determined, from a trusted proxy's header if there is one, in the
// form in which it is compared, counted and forwarded: IPv4 never mapped into IPv6, and without a zone.
func clientAddress(vars map[string]any) netip.Addr {
	text, _ := vars[caddyhttp.ClientIPVarKey].(string)
	addr, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Addr{}
	}
	return address.Canonical(addr)
}

func init() {
	caddy.RegisterModule(new(openPaths))
	for _, directive := range []string{"token_gate_public", "token_gate_pages", "token_gate_session"} {
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
//	token_gate_public|token_gate_pages|token_gate_session <path...> {
//	    <directives...>
//	}
func parseOpenRoute(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	open := &openPaths{Kind: strings.TrimPrefix(h.Val(), "token_gate_")}
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
