// Package contract proves what no single module can: that the modules agree.
package contract

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const root = "../.."

var modules = []string{"gateway", "gateway/servicekit", "shipments-svc", "tokens-svc", "deploy"}

// services are the modules that may require servicekit.
var services = []string{"shipments-svc", "tokens-svc"}

// TestGoldensAreEqual: what travels between programs is pinned by files that
// each side tests its own code against; equal files make the two sides agree.
func TestGoldensAreEqual(t *testing.T) {
	t.Parallel()
	for name, holders := range map[string][]string{
		"assertion.json":      {"gateway", "gateway/servicekit"},
		"identity.json":       {"gateway", "gateway/servicekit", "shipments-svc", "tokens-svc"},
		"introspection.json":  {"gateway", "tokens-svc"},
		"page_assertion.json": {"gateway", "gateway/servicekit"},
		"problem.json":        {"gateway", "gateway/servicekit", "shipments-svc"},
		"tokens.json":         {"gateway", "tokens-svc"},
	} {
		for _, other := range holders[1:] {
			same(t, filepath.Join(holders[0], "testdata/contract", name), filepath.Join(other, "testdata/contract", name))
		}
	}
}

func same(t *testing.T, a, b string) {
	t.Helper()
	if contentA, contentB := read(t, a), read(t, b); !bytes.Equal(contentA, contentB) {
		t.Errorf("%s and %s differ", a, b)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// TestProgramsDoNotImportEachOther: a service requires servicekit, replaced by
// its folder, and no other module of this repository; all other modules require
// and replace none.
func TestProgramsDoNotImportEachOther(t *testing.T) {
	t.Parallel()
	const repository, kit = "github.com/quayside/quayside/", "gateway/servicekit"
	for _, module := range modules {
		mod, service := parse(t, module), slices.Contains(services, module)
		for _, replace := range mod.Replace {
			if !service || replace.Old.Path != repository+kit || replace.New.Path != "../"+kit {
				t.Errorf("%s/go.mod replaces %s", module, replace.Old.Path)
			}
		}
		for _, require := range mod.Require {
			if other, ours := strings.CutPrefix(require.Mod.Path, repository); ours && (!service || other != kit) {
				t.Errorf("%s requires %s", module, other)
			}
		}
	}
}

// TestTheGatewaysCopyIsServicekits: the gateway cannot import servicekit, see
// decision 0011.
func TestTheGatewaysCopyIsServicekits(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"heapfloor", "timerslack"} {
		copies, err := filepath.Glob("../../gateway/internal/process/" + name + "/*.go")
		if err != nil || len(copies) == 0 {
			t.Fatalf("%s: %d files, %v", name, len(copies), err)
		}
		for _, path := range copies {
			file := filepath.Join("process", name, filepath.Base(path))
			same(t, filepath.Join("gateway/internal", file), filepath.Join("gateway/servicekit", file))
		}
	}
}

// TestSharedDependenciesHaveOneVersion: inside the workspace the highest
// version wins; a module that asks for a lower one would be tested there with
// code that its own image does not contain.
func TestSharedDependenciesHaveOneVersion(t *testing.T) {
	t.Parallel()
	type use struct{ module, version string }
	seen := map[string]use{}
	for _, module := range modules {
		for _, require := range parse(t, module).Require {
			first, ok := seen[require.Mod.Path]
			if ok && first.version != require.Mod.Version {
				t.Errorf("%s: %s has %s, %s has %s", require.Mod.Path, first.module, first.version, module, require.Mod.Version)
			}
			if !ok {
				seen[require.Mod.Path] = use{module, require.Mod.Version}
			}
		}
	}
}

// TestPinnedVersions: the versions that the product was designed and measured with.
func TestPinnedVersions(t *testing.T) {
	t.Parallel()
	for path, pin := range map[string]struct{ module, version string }{
		"github.com/caddyserver/caddy/v2":    {"gateway", "v2.11.9"},
		"github.com/go-redis/redis_rate/v10": {"gateway", "v10.0.1"},
		"github.com/redis/go-redis/v9":       {"gateway", "v9.23.0"},
		"github.com/go-kit/kit":              {"shipments-svc", "v0.13.0"},
		"github.com/jmoiron/sqlx":            {"shipments-svc", "v1.4.0"},
		"github.com/lib/pq":                  {"shipments-svc", "v1.12.3"},
		"github.com/pressly/goose/v3":        {"shipments-svc", "v3.29.0"},
	} {
		found := ""
		for _, require := range parse(t, pin.module).Require {
			if require.Mod.Path == path {
				found = require.Mod.Version
			}
		}
		if found != pin.version {
			t.Errorf("%s: %s has %q, want %s", path, pin.module, found, pin.version)
		}
	}
}

func parse(t *testing.T, module string) *modfile.File {
	t.Helper()
	path := filepath.Join(module, "go.mod")
	mod, err := modfile.Parse(path, read(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}
