package tokengate

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// routePath is the form of the paths of a further service's routes: literal segments, * for a whole segment, and * at the
// end. What Caddy matches otherwise, such as ? or a placeholder, could be any path.
var routePath = regexp.MustCompile(`^/(([\w.~:@-]+|\*)/)*[\w.~:@-]*\*?$`)

// checkPaths returns a check that a route is for paths of its own, whatever else it matches by: none that own routes have,
// but sub-resources: with own /a/*, a route may have /a/*/b unless own routes name it.
func checkPaths(own caddyhttp.RouteList) func(caddyhttp.Route) error {
	var taken []string
	for _, route := range own {
		for _, set := range route.MatcherSetsRaw {
			paths, _, _ := pathsIn(set)
			taken = append(taken, paths...)
		}
	}
	return func(route caddyhttp.Route) error {
		for _, set := range route.MatcherSetsRaw {
			paths, open, err := pathsIn(set)
			if err != nil {
				return err
			}
			for _, path := range paths {
				if !routePath.MatchString(path) {
					return fmt.Errorf("%s: * is possible for a whole segment or at the end, and no other wildcard, placeholder or percent-encoding", path)
				}
				for _, other := range taken {
					if meet(path, other) && (open || !strings.HasPrefix(path, other+"/")) {
						return fmt.Errorf("%s takes requests for the shipped path %s", path, other)
					}
				}
			}
		}
		return nil
	}
}

// pathsIn returns the paths of a matcher in lower case, as they are matched, and whether they need no token.
func pathsIn(set map[string]json.RawMessage) (paths []string, open bool, err error) {
	raw := set["path"]
	if matcher, ok := set[openPathsName]; ok {
		var m struct{ Paths json.RawMessage }
		err = json.Unmarshal(matcher, &m)
		raw, open = m.Paths, true
	}
	if raw == nil {
		return nil, open, errors.Join(err, errors.New("the matcher needs path, so that it cannot take requests of other services"))
	}
	err = errors.Join(err, json.Unmarshal([]byte(strings.ToLower(string(raw))), &paths))
	return paths, open, err
}

// meet reports whether a path matches both patterns, which are in lower case.
func meet(a, b string) bool { return globsMeet(glob(a), glob(b)) }

// covers reports whether pattern a matches every path that pattern b matches: it matches one with a text for each *.
func covers(a, b string) bool { return meet(a, strings.ReplaceAll(b, "*", "~")) }

// glob writes ** for each * of a pattern that matches also /, which Caddy's do if they are at its ends only.
func glob(pattern string) string {
	if strings.Contains(strings.Trim(pattern, "*"), "*") {
		return pattern
	}
	return strings.ReplaceAll(pattern, "*", "**")
}

func globsMeet(a, b string) bool {
	switch {
	case a == "" || b == "":
		return strings.Trim(a+b, "*") == ""
	case a[0] == '*':
		return globsMeet(strings.TrimLeft(a, "*"), b) || (b[0] != '/' || strings.HasPrefix(a, "**")) && globsMeet(a, b[1:])
	case b[0] == '*':
		return globsMeet(b, a)
	default:
		return a[0] == b[0] && globsMeet(a[1:], b[1:])
	}
}
