package tokengate

import (
	"net/http"
	"net/url"
	"strings"
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
				found = open.route()
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
