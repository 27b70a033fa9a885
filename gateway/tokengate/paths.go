package tokengate

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
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

// routeOf returns the route of r. It needs Caddy's request context unless r's URL is plain.
func (g *Gate) routeOf(r *http.Request) route {
	switch {
	case g.pages.match(r):
		return pageRoute
	case g.sessions.match(r):
		return sessionRoute
	case g.cors.isPreflight(r):
		return preflightRoute
	case g.public.match(r):
		return publicRoute
	default:
		return tokenRoute
	}
}

// paths matches of all straight paths exactly those that a path matcher does, which also routes requests behind
// the gate: the two must not disagree. Of each pattern that matcher cleans the path anew, which for the gate's
// eight costs 2 µs of every request; so plain patterns are held against plain paths, which need no cleaning, by
// themselves.
type paths struct {
	matcher  caddyhttp.MatchPath
	plain    bool // all patterns are of one of these two forms
	whole    []string
	prefixes []string
}

func newPaths(matcher caddyhttp.MatchPath) paths {
	p := paths{matcher: matcher, plain: true}
	for _, pattern := range matcher {
		prefix, open := strings.CutSuffix(pattern, "/*")
		switch {
		case !isPlain(prefix):
			p.plain = false
		case open:
			p.prefixes = append(p.prefixes, prefix+"/")
		default:
			p.whole = append(p.whole, pattern)
		}
	}
	return p
}

func (p paths) match(r *http.Request) bool {
	path := r.URL.Path
	if !p.plain || !isPlainURL(r.URL) {
		if !isUnambiguous(r.URL) {
			return false
		}
		matched, err := p.matcher.MatchWithError(r)
		return err == nil && matched
	}
	for _, whole := range p.whole {
		if strings.EqualFold(path, whole) {
			return true
		}
	}
	for _, prefix := range p.prefixes {
		if hasPrefixFold(path, prefix) {
			return true
		}
	}
	return false
}

// isUnambiguous reports whether all readers of u see the same path: it begins with a slash, has no empty segment
// but at its end, none that is . or .., no backslash and no control character, however they are written, and no
// slash that is written as %2F. Whatever is not has no route: a matcher that cleans it, a service that does not,
// and a proxy in between that does half of it would each take it for something else. The part of a segment after a
// semicolon does not count, because some ignore it.
func isUnambiguous(u *url.URL) bool {
	if isPlainURL(u) {
		return true
	}
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

// isPlainURL reports whether the path of u is plain and was sent as it is, with nothing percent-encoded.
func isPlainURL(u *url.URL) bool {
	return u.RawPath == "" && isPlain(u.Path)
}

// isPlain reports whether path begins with a slash, consists of letters, digits, hyphens, underscores, dots
// and slashes, and has no empty segment and none that begins with a dot: cleaning it changes nothing.
func isPlain(path string) bool {
	if path == "" || path[0] != '/' {
		return false
	}
	for i := range len(path) {
		switch c := path[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
		case c == '/' || c == '.':
			if i > 0 && path[i-1] == '/' {
				return false
			}
		default:
			return false
		}
	}
	return true
}
