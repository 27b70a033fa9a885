package tokengate

import (
	"net/url"
	"strings"

	"github.com/quayside/quayside/gateway/servicekit/text/spelling"
)

// nothingAt returns p, a 404, with the path that was probably meant: a known one without a slash at its end, or one
// that differs in the spelling of one segment.
func (g *Gate) nothingAt(p problem, path string) problem {
	const longest = 200
	meant := g.nearest(strings.TrimSuffix(path, "/"))
	if meant == "" || meant == path || len(meant) > longest || strings.Contains(meant, "/.") {
		return p
	}
	return p.withDetail("There is nothing at this path; did you mean " + (&url.URL{Path: meant}).EscapedPath() + "?")
}

// nearest returns path with at most one segment spelled as in a known path, or nothing.
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
		if differences == 0 {
			return path
		}
		if differences == 1 && spelling.Nearest(segments[differing], known[differing:differing+1]) != "" {
			segments[differing] = known[differing]
			return strings.Join(segments, "/")
		}
	}
	return ""
}
