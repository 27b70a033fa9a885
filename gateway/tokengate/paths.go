package tokengate

import (
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// paths matches exactly what a path matcher does, which also routes requests behind the gate: the two must
// not disagree. Of each pattern that matcher cleans the path anew, which for the gate's eight costs 2 µs of
// every request; so plain patterns are held against plain paths, which need no cleaning, by themselves.
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
	if !p.plain || !isPlain(path) {
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
