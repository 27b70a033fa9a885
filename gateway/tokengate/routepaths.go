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

// meet reports whether a path matches both patterns.
func meet(a, b string) bool {
	as, bs := strings.Split(a, "/"), strings.Split(b, "/")
	for i := range min(len(as), len(bs)) {
		if !segmentsMeet(as[i], bs[i]) {
			return false
		}
		if i == len(as)-1 && isPrefix(a) || i == len(bs)-1 && isPrefix(b) {
			return true
		}
	}
	return len(as) == len(bs)
}

// isPrefix reports whether the * of a pattern matches also /, which Caddy's does if it is the only one and at the end.
func isPrefix(pattern string) bool { return strings.Index(pattern, "*") == len(pattern)-1 }

func segmentsMeet(a, b string) bool {
	a, wildA := strings.CutSuffix(a, "*")
	b, wildB := strings.CutSuffix(b, "*")
	return a == b || wildA && strings.HasPrefix(b, a) || wildB && strings.HasPrefix(a, b)
}
