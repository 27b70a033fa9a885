// Package layers holds no code. Its test keeps the program's layers apart:
// transport → endpoints → domain ← postgres, web → domain, and only cmd sees
// all.
package layers

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const (
	repository = "github.com/quayside/quayside/"
	module     = repository + "tokens-svc/"
)

// rules say for each package what must not be among all that it needs, however
// indirectly. An entry ends in "..." where it is the start of a path.
var rules = map[string][]string{
	"internal/httpapi/endpoints": {
		"net/http", "database/sql", module + "internal/postgres...", module + "internal/httpapi/transport...",
		"github.com/prometheus/...", "github.com/lib/pq...", "github.com/jmoiron/...",
	},
	"internal/httpapi/transport": {
		"database/sql", module + "internal/postgres...", module + "internal/config...", "github.com/lib/pq...", "github.com/jmoiron/...",
	},
	"internal/postgres": {
		"net/http", module + "internal/httpapi/endpoints...", module + "internal/httpapi/transport...", module + "internal/httpapi/wire...", "github.com/go-kit/...",
		module + "internal/web...", "github.com/alexedwards/...",
	},
	"internal/web": {
		"database/sql", module + "internal/postgres...", module + "internal/config...", module + "internal/httpapi/transport...",
		"github.com/go-kit/...", "github.com/lib/pq...", "github.com/jmoiron/...",
	},
	"internal/people/password":    {"net/http", "database/sql", module + "..."},
	"internal/httpapi/wire":       {"net/http", "database/sql", "github.com/..."},
	"internal/httpapi/credential": {"net/http", "github.com/..."},
	"internal/config":             {module + "internal/postgres...", module + "internal/httpapi/transport..."},
}

func TestLayersStayApart(t *testing.T) {
	t.Parallel()
	packages := list(t)
	for name, forbidden := range rules {
		p, ok := packages[module+name]
		if !ok {
			t.Errorf("there is no package %s", name)
		}
		for _, dep := range p.Deps {
			if slices.ContainsFunc(forbidden, func(pattern string) bool { return matches(dep, pattern) && !ours(pattern, dep) }) {
				t.Errorf("%s needs %s", name, dep)
			}
		}
	}
}

// TestTheDomainNeedsTheStandardLibraryOnly, and of that neither HTTP nor SQL.
// Its packages may need each other.
func TestTheDomainNeedsTheStandardLibraryOnly(t *testing.T) {
	t.Parallel()
	packages := list(t)
	domain := []string{
		module + "internal/audit", module + "internal/tokens", module + "internal/people", module + "internal/people/session",
		repository + "gateway/servicekit/settings/keyring", repository + "gateway/servicekit/text/plaintext", repository + "gateway/servicekit/text/spelling",
	}
	for _, name := range domain {
		for _, dep := range packages[name].Deps {
			rating := matches(dep, "github.com/trustelem/zxcvbn...") || matches(dep, "github.com/dlclark/regexp2...") // of passwords
			if p := packages[dep]; !p.Standard && !rating && !slices.Contains(domain, dep) || dep == "net/http" || dep == "database/sql" {
				t.Errorf("%s needs %s", name, dep)
			}
		}
	}
}

// TestOnlyCommandsImportTransportAndStorage: no package but cmd's may tie transport to storage.
func TestOnlyCommandsImportTransportAndStorage(t *testing.T) {
	t.Parallel()
	for name, p := range list(t) {
		if !strings.HasPrefix(name, module) || strings.HasPrefix(name, module+"cmd/") {
			continue
		}
		for _, face := range []string{"internal/httpapi/transport", "internal/web"} {
			if slices.Contains(p.Deps, module+face) && slices.Contains(p.Deps, module+"internal/postgres") {
				t.Errorf("%s needs both %s and postgres", path.Base(name), face)
			}
		}
	}
}

func matches(dep, pattern string) bool {
	if start, ok := strings.CutSuffix(pattern, "..."); ok {
		return strings.HasPrefix(dep, start)
	}
	return dep == pattern
}

// ours keeps "github.com/..." from forbidding the module's own packages and
// servicekit's.
func ours(pattern, dep string) bool {
	return strings.HasPrefix(dep, repository) && !strings.HasPrefix(pattern, repository)
}

type pkg struct {
	ImportPath string
	Standard   bool
	Deps       []string
}

// list asks the go command for every package of the program and all they need.
func list(t *testing.T) map[string]pkg {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-deps", "-json=ImportPath,Standard,Deps", module+"...")
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]pkg{}
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages[p.ImportPath] = p
	}
}
