// Package contract proves what no single module can: that the modules agree.
package contract

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"
)

const root = "../../.."

var modules = []string{"gateway", "shipments-svc", "tokens-svc", "deploy/client", "deploy"}

// libraries are the modules of this repository that a module may require, replaced by their folders: of the gateway's,
// servicekit, since its other packages are internal or Caddy's modules. The gateway replaces and excludes nothing, or
// `go install` would refuse it.
var libraries = map[string]struct{ library, folder string }{
	"shipments-svc": {"gateway", "../gateway"},
	"tokens-svc":    {"gateway", "../gateway"},
	"deploy":        {"deploy/client", "./client"},
}

// TestGoldensAreEqual: what travels between programs is pinned by files that
// each side tests its own code against; equal files make the two sides agree.
func TestGoldensAreEqual(t *testing.T) {
	t.Parallel()
	for name, holders := range map[string][]string{
		"assertion.json":      {"gateway", "gateway/servicekit"},
		"identity.json":       {"gateway", "gateway/servicekit", "tokens-svc"},
		"introspection.json":  {"gateway", "tokens-svc"},
		"page_assertion.json": {"gateway", "gateway/servicekit"},

		"person_assertion.json": {"gateway", "gateway/servicekit"},

		"problem.json": {"gateway", "gateway/servicekit"},
		"tokens.json":  {"gateway", "tokens-svc"},
	} {
		for _, other := range holders[1:] {
			same(t, filepath.Join(holders[0], "testdata/contract", name), filepath.Join(other, "testdata/contract", name))
		}
	}
}

// TestTheReferenceIsOfTheAPI: the gateway shows copies of the services' documents.
func TestTheReferenceIsOfTheAPI(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"shipments", "tokens"} {
		same(t, program+"-svc/api/openapi.yaml", "gateway/apidocs/openapi/"+program+".yaml")
	}
}

// TestTheDemoIsOfItsPerson: the history names whom tokens-svc makes a member.
func TestTheDemoIsOfItsPerson(t *testing.T) {
	t.Parallel()
	person := regexp.MustCompile(`usr_\w{26}`)
	acts, member := read(t, "shipments-svc/cmd/shipments-svc/demo.go"), read(t, "tokens-svc/cmd/tokens-svc/demo.go")
	if id := string(person.Find(acts)); id == "" || id != string(person.Find(member)) {
		t.Errorf("%q acts, %q is a member", id, person.Find(member))
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

// TestProgramsDoNotImportEachOther: a module requires its library, replaced by its folder, and no other module of this
// repository.
func TestProgramsDoNotImportEachOther(t *testing.T) {
	t.Parallel()
	const repository = "github.com/quayside/quayside/"
	for _, module := range modules {
		mod, may := parse(t, module), libraries[module]
		for _, replace := range mod.Replace {
			if replace.Old.Path != repository+may.library || replace.New.Path != may.folder {
				t.Errorf("%s/go.mod replaces %s", module, replace.Old.Path)
			}
		}
		for _, require := range mod.Require {
			if other, ours := strings.CutPrefix(require.Mod.Path, repository); ours && other != may.library {
				t.Errorf("%s requires %s", module, other)
			}
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

func parse(t *testing.T, module string) *modfile.File {
	t.Helper()
	path := filepath.Join(module, "go.mod")
	mod, err := modfile.Parse(path, read(t, path), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}
