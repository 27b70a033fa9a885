package tokengate

import (
	"fmt"
	"os"
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
//	service_routes [<pattern...>]
//
// A file is parsed by itself and not imported: an imported file is part of the text around it, so that one brace too
// many would end the site and its gate. Of all routes the first one that matches is used, those without a token first.
func parseServiceRoutes(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	var open, others caddyhttp.RouteList
	for _, pattern := range h.RemainingArgs() {
		files, err := routeFiles(filepath.Dir(h.File()), pattern)
		if err != nil {
			return nil, h.WrapErr(err)
		}
		for _, file := range files {
			routes, err := readRoutes(h, file)
			if err != nil {
				return nil, fmt.Errorf("routes of a service: %w", err)
			}
			for _, route := range routes {
				route.Group = "service_routes"
				if len(route.MatcherSetsRaw) == 1 && route.MatcherSetsRaw[0][openPathsName] != nil {
					open = append(open, route)
				} else {
					others = append(others, route)
				}
			}
		}
	}
	return []httpcaddyfile.ConfigValue{{Class: "route", Value: caddyhttp.Subroute{Routes: append(open, others...)}}}, nil
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

// readRoutes returns the routes of a file.
func readRoutes(h httpcaddyfile.Helper, file string) (caddyhttp.RouteList, error) {
	text, err := os.ReadFile(filepath.Clean(file))
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
	block := []caddyfile.Token{{File: file, Text: "routes"}, {File: file, Text: "{"}}
	for _, segment := range blocks[0].Segments {
		name := segment.Directive()
		switch {
		case strings.HasPrefix(name, "@"):
		case !slices.Contains(routeDirectives, name):
			return nil, fmt.Errorf("%s:%d: %s is not one of @<matcher>, %s, of which a file of routes consists",
				file, segment[0].Line, name, strings.Join(routeDirectives, ", "))
		case len(segment) > 1 && segment[1].Text == "{":
			return nil, fmt.Errorf("%s:%d: %s needs a path or a matcher", file, segment[0].Line, name)
		}
		block = append(block, segment...)
	}
	block = append(block, caddyfile.Token{File: file, Line: block[len(block)-1].Line + 1, Text: "}"})
	routes, err := httpcaddyfile.ParseSegmentAsSubroute(h.WithDispenser(caddyfile.NewDispenser(block)))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
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
