package tokengate

import (
	"errors"
	"fmt"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// checkShadowing reports exclusive routes, in their order, that are never reached because a route before takes their
// path, and open routes whose paths overlap: mistakes in a file of routes that would otherwise be noticed by clients.
// It is no boundary: who may write such a file may write the Caddyfile.
func checkShadowing(routes caddyhttp.RouteList) error {
	var faults []error
	for i, before := range routes {
		if before.Group != "" && len(before.HandlersRaw) > 1 { // Caddy makes one route of those with the same matcher
			patterns, _, _ := pathsOf(before)
			faults = append(faults, fmt.Errorf("token_gate: there are %d routes for %s; remove all but one",
				len(before.HandlersRaw), strings.Join(patterns, " ")))
		}
		for _, after := range routes[i+1:] {
			faults = append(faults, conflict(before, after))
		}
	}
	return errors.Join(faults...)
}

// conflict returns the first path of a route that another one, after it, cannot have, too.
func conflict(before, after caddyhttp.Route) error {
	taken, always, open := pathsOf(before)
	wanted, _, alsoOpen := pathsOf(after)
	for _, a := range taken {
		for _, b := range wanted {
			switch {
			case open && alsoOpen && (covers(a, b) || covers(b, a)):
				return fmt.Errorf("token_gate: the paths %s and %s of routes without a token overlap; remove one of them", a, b)
			case always && covers(strings.ToLower(a), strings.ToLower(b)):
				return fmt.Errorf("token_gate: the path %s is never reached: a route before it takes %s; remove one of them", b, a)
			}
		}
	}
	return nil
}

// pathsOf returns the paths of a route that excludes those after it, and whether it always takes them: it matches by
// nothing else.
func pathsOf(route caddyhttp.Route) (patterns []string, always, open bool) {
	if route.Group != "" && len(route.MatcherSets) == 0 {
		return []string{"*"}, true, false
	}
	always = true
	for _, set := range route.MatcherSets {
		always = always && len(set) == 1
		for _, matcher := range set {
			switch m := matcher.(type) {
			case *openPaths:
				patterns, open = append(patterns, m.Paths...), true
			case *caddyhttp.MatchPath:
				patterns = append(patterns, *m...)
			case caddyhttp.MatchPath:
				patterns = append(patterns, m...)
			}
		}
	}
	if !open && route.Group == "" {
		return nil, false, false
	}
	return patterns, always, open
}
