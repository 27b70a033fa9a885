package tokengate

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"
)

func init() {
	httpcaddyfile.RegisterDirective("service_routes", parseServiceRoutes)
	httpcaddyfile.RegisterDirectiveOrder("service_routes", httpcaddyfile.Before, "handle")
}

// parseServiceRoutes reads the routes of services from files, in the order of the patterns and of the names. Syntax:
//
//	service_routes <own pattern> [<pattern...>]
//
// Routes of the first pattern are the product's own: those of other files come before them, and must not take their paths.
// A file is parsed by itself and not imported: an imported file is part of the text around it, so that one brace too
// many would end the site and its gate. Of all routes the first one that matches is used, those without a token first.
func parseServiceRoutes(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	patterns := h.RemainingArgs()
	if len(patterns) == 0 {
		return nil, h.ArgErr()
	}
	own, err := readAll(h, patterns[:1], nil)
	if err != nil {
		return nil, err
	}
	further, err := readAll(h, patterns[1:], checkPaths(own))
	if err != nil {
		return nil, err
	}
	all := append(further, own...)
	slices.SortStableFunc(all, func(a, b caddyhttp.Route) int { return rank(a) - rank(b) })
	return []httpcaddyfile.ConfigValue{{Class: "route", Value: caddyhttp.Subroute{Routes: all}}}, nil
}

// rank sorts routes without a token first.
func rank(route caddyhttp.Route) int {
	if len(route.MatcherSetsRaw) == 1 && route.MatcherSetsRaw[0][openPathsName] != nil {
		return 0
	}
	return 1
}

// readAll returns the routes of the files that patterns name.
func readAll(h httpcaddyfile.Helper, patterns []string, check func(caddyhttp.Route) error) (all caddyhttp.RouteList, err error) {
	for _, pattern := range patterns {
		files, err := routeFiles(filepath.Dir(h.File()), pattern)
		if err != nil {
			return nil, h.WrapErr(err)
		}
		for _, file := range files {
			routes, err := readRoutes(h, file, check)
			if err != nil {
				return nil, fmt.Errorf("routes of a service: %w", err)
			}
			for _, route := range routes {
				route.Group = "service_routes"
				all = append(all, route)
			}
		}
	}
	return all, nil
}

// routeFiles returns the files that a pattern names, which is relative to dir. Of a pattern with * there may be none yet.
func routeFiles(dir, pattern string) ([]string, error) {
	if !filepath.IsAbs(pattern) {
		pattern = filepath.Join(dir, pattern)
	}
	files, err := filepath.Glob(pattern)
	if err != nil {
		return nil, fmt.Errorf("%s: %w; check SERVICE_ROUTES", pattern, err)
	}
	files = slices.DeleteFunc(files, func(file string) bool { return strings.HasPrefix(filepath.Base(file), ".") })
	if len(files) == 0 {
		if !strings.Contains(pattern, "*") {
			return nil, fmt.Errorf("there is no file %s; check SERVICE_ROUTES", pattern)
		}
		caddy.Log().Warn("there are no files of routes", zap.String("pattern", pattern))
	}
	return files, nil
}

// routeDirectives are the directives that a file of routes consists of, beside matchers: each is about its own paths
// only. Anything is possible inside them, because it comes after the gate and for these paths.
var routeDirectives = []string{"handle", "handle_public", "handle_pages"}

// readRoutes returns the routes of a file. Each must pass check, if there is one.
func readRoutes(h httpcaddyfile.Helper, file string, check func(caddyhttp.Route) error) (caddyhttp.RouteList, error) {
	text, err := readFile(file)
	if err != nil {
		return nil, err
	}
	if err := checkBlocks(file, text); err != nil {
		return nil, err
	}
	// A site of these routes only, in one line with the first of them so that errors name the right ones.
	blocks, err := caddyfile.Parse(file, slices.Concat([]byte("routes { "), text, []byte("\n}\n")))
	if err != nil {
		return nil, err
	}
	if len(blocks) != 1 {
		return nil, fmt.Errorf("%s: the braces do not match", file)
	}
	segments := blocks[0].Segments
	for i, segment := range segments {
		name := segment.Directive()
		switch {
		case strings.HasPrefix(name, "@"):
			continue
		case !slices.Contains(routeDirectives, name):
			return nil, fmt.Errorf("%s:%d: %s is not one of @<matcher>, %s, of which a file of routes consists",
				file, segment[0].Line, name, strings.Join(routeDirectives, ", "))
		case len(segment) > 1 && segment[1].Text == "{":
			return nil, fmt.Errorf("%s:%d: %s needs a path or a matcher", file, segment[0].Line, name)
		}
		// Each by itself, with all matchers: a route does not know its line.
		routes, err := parseRoutes(h, file, segments, func(n int) bool { return n == i || strings.HasPrefix(segments[n].Directive(), "@") })
		for _, route := range routes {
			if err == nil && check != nil {
				err = check(route)
			}
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, segment[0].Line, err)
		}
	}
	return parseRoutes(h, file, segments, func(int) bool { return true })
}

// parseRoutes returns the routes of the included segments of a file, in Caddy's order of directives and paths.
func parseRoutes(h httpcaddyfile.Helper, file string, segments []caddyfile.Segment, included func(int) bool) (caddyhttp.RouteList, error) {
	block := []caddyfile.Token{{File: file, Text: "routes"}, {File: file, Text: "{"}}
	for i, segment := range segments {
		if included(i) {
			block = append(block, segment...)
		}
	}
	block = append(block, caddyfile.Token{File: file, Line: block[len(block)-1].Line + 1, Text: "}"})
	routes, err := httpcaddyfile.ParseSegmentAsSubroute(h.WithDispenser(caddyfile.NewDispenser(block)))
	if err != nil {
		return nil, err
	}
	return routes.(*caddyhttp.Subroute).Routes, nil
}

// checkBlocks reports braces without a counterpart, and imports: what is checked must be all that is parsed.
func checkBlocks(file string, text []byte) error {
	tokens, err := caddyfile.Tokenize(append(slices.Clone(text), '\n'), file) // of no text it would be an error
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	var open []int // the lines of braces that are not closed
	for i, token := range tokens {
		switch {
		case token.Text == "import" && (i == 0 || tokens[i-1].Line < token.Line):
			return fmt.Errorf("%s:%d: import is not possible in a file of routes", file, token.Line)
		case token.Quoted():
		case token.Text == "{":
			open = append(open, token.Line)
		case token.Text == "}" && len(open) == 0:
			return fmt.Errorf("%s:%d: this } closes nothing", file, token.Line)
		case token.Text == "}":
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%s:%d: this { is not closed", file, open[len(open)-1])
	}
	return nil
}
