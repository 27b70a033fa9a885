package tokengate

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"golang.org/x/net/http/httpguts"
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

// routeOf returns the route of r.
func (g *Gate) routeOf(r *http.Request) route {
	found := tokenRoute
	if isUnambiguous(r.URL) {
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
func checkDestination(w http.ResponseWriter, r *http.Request) error {
	switch {
	case !httpguts.ValidHeaderFieldName(r.Method) || strings.Contains(r.URL.RawQuery, " ") || // a method is a token, too
		len(r.Header["Content-Length"]) > 1:
		return caddyhttp.Error(http.StatusBadRequest, errors.New("not a request of HTTP/1.1"))
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		w.Header().Set("Allow", forwarded)
		return caddyhttp.Error(http.StatusMethodNotAllowed, errors.New("not a method for resources"))
	case !isUnambiguous(r.URL):
		return caddyhttp.Error(http.StatusNotFound, errors.New("the path can be read in several ways"))
	default:
		return nil
	}
}

// forwarded are the methods that a service may allow. Which of them a resource has, its own 405 says.
const forwarded = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"
