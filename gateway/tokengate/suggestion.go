package tokengate

import (
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// knownPaths returns the patterns of routes.
func knownPaths(routes caddyhttp.RouteList) (all []string) {
	for _, route := range routes {
		patterns, _, _ := pathsOf(route)
		all = append(all, patterns...)
	}
	return all
}

// nothingAt returns p, a 404, with the path that was probably meant: one without a slash at its end, or a known one
// that differs in the spelling of one segment.
func (g *Gate) nothingAt(p problem, path string) problem {
	meant := strings.TrimSuffix(path, "/")
	if meant == path {
		if meant = g.nearest(path); meant == "" {
			return p
		}
	}
	return p.withDetail("There is nothing at this path; did you mean " + spelling.Quote(meant) + "?")
}

// nearest returns path with one segment as in a known path, or nothing.
func (g *Gate) nearest(path string) string {
	segments := strings.Split(path, "/")
	for _, pattern := range g.known {
		known := strings.Split(pattern, "/")
		if len(known) != len(segments) {
			continue
		}
		differing, differences := 0, 0
		for i, segment := range known {
			if segment != "*" && segment != segments[i] {
				differing = i
				differences++
			}
		}
		if differences == 1 && spelling.Nearest(segments[differing], known[differing:differing+1]) != "" {
			segments[differing] = known[differing]
			return strings.Join(segments, "/")
		}
	}
	return ""
}
