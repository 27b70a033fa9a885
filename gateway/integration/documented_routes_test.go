package integration

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	documentedPath = regexp.MustCompile(`(?m)^  (/api/[^:]+):$`)
	pathParameter  = regexp.MustCompile(`\{[^}]+\}`)
)

// Every path of a service's OpenAPI document is one of its shipped routes, and cannot be a path of a further service. A new
// sub-resource must be named in routes/*.caddy.
func TestDocumentedPathsAreShippedRoutes(t *testing.T) {
	t.Parallel()

	shipped, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	for document, routes := range map[string]string{
		"../../shipments-svc/api/openapi.yaml": "routes/shipments.caddy",
		"../../tokens-svc/api/openapi.yaml":    "routes/tokens.caddy",
	} {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		paths := documentedPath.FindAllSubmatch(text, -1)
		if len(paths) < 5 {
			t.Errorf("%s has %d paths", document, len(paths))
		}
		for _, path := range paths {
			for _, value := range []string{"x", "*"} { // x: the routes match the path; *: and no others can
				further := pathParameter.ReplaceAllString(string(path[1]), value)
				file := filepath.Join(t.TempDir(), "further.caddy")
				if err := os.WriteFile(file, []byte("@further path "+further+"\nhandle @further {\n\tservice further 127.0.0.1:1\n}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
				caddyfile := bytes.Replace(shipped, []byte("routes/*.caddy {$SERVICE_ROUTES}"), []byte(routes+" "+file), 1)
				if output := adaptFile(t, "../Caddyfile", caddyfile); !strings.Contains(output, further+" takes requests for the shipped path ") {
					t.Errorf("%s does not name %s of %s: a further service could take it\n%.300s", routes, path[1], document, output)
				}
			}
		}
	}
}
