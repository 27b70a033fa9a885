// Package shipmentssvc holds nothing but tests of the module as a whole.
package shipmentssvc

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/quayside/quayside/shipments-svc"

// everywhere are the packages of servicekit that know no technology.
var everywhere = []string{
	"github.com/quayside/quayside/gateway/servicekit/limit",
	"github.com/quayside/quayside/gateway/servicekit/text/plaintext",
}

// dependencies returns every package that a package of this module depends
// on, its own included, without tests.
func dependencies(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-deps", module+pkg).Output()
	if err != nil {
		t.Fatalf("go list %s: %v", pkg, err)
	}
	return strings.Fields(string(out))
}

// TestLayersDependInwardsOnly: transport → domain ← postgres.
func TestLayersDependInwardsOnly(t *testing.T) {
	t.Parallel()
	const domain, postgres = "/internal/shipments", "/internal/postgres"
	const transport, list = "/internal/httpapi/transport", "/internal/documents/packinglist/list"
	for pkg, rule := range map[string]struct {
		mayNot []string // a package or, ending in /, all beneath one
		why    string
	}{
		domain: {
			[]string{module + "/", "net/http", "database/sql", "encoding/json", "golang.org/", "github.com/"},
			"the domain is the standard library, plaintext and what a packing list says, and knows no technology",
		},
		list: {
			[]string{module + "/", "net/http", "database/sql", "encoding/", "golang.org/", "github.com/"},
			"what a packing list says is types alone",
		},
		transport: {
			[]string{"database/sql", "github.com/lib/pq", "github.com/jmoiron/sqlx", module + postgres},
			"transport knows no storage",
		},
		postgres: {
			[]string{"net/http", "github.com/go-kit/", module + transport},
			"storage knows no transport",
		},
		"/internal/checks": {
			[]string{
				"net/http", "database/sql", "encoding/json", "golang.org/x/net/", "github.com/google/", "github.com/lib/",
				module + transport, module + postgres,
			},
			"checks are functions of the domain",
		},
		"/internal/documents/tables": {
			[]string{"net/http", "database/sql", module + "/"},
			"reading documents knows nothing of what is read",
		},
		"/internal/documents/packinglist": {
			[]string{"net/http", "database/sql", "github.com/lib/", module + domain, module + "/internal/checks", module +
				"/internal/httpapi/", module + postgres, module + "/internal/config"},
			"reading packing lists needs no service",
		},
		"/internal/events/outbox": {
			[]string{"net/http", "database/sql", "github.com/google/", "github.com/lib/", module + transport, module +
				postgres},
			"numbering events knows no storage",
		},
		"/internal/events/webhooks": {
			[]string{
				"net/http", "database/sql", "encoding/json", "golang.org/", "github.com/google/", "github.com/lib/",
				module + transport, module + postgres,
			},
			"webhooks are a domain and know no technology",
		},
		"/internal/events/dispatch": {
			[]string{"database/sql", "github.com/lib/", "github.com/google/", module + transport, module + postgres},
			"delivering knows no storage and no form of what it delivers",
		},
	} {
		for _, dep := range dependencies(t, pkg) {
			if slices.Contains(append(everywhere, module+pkg, module+list), dep) {
				continue
			}
			for _, forbidden := range rule.mayNot {
				if dep == forbidden || strings.HasSuffix(forbidden, "/") && strings.HasPrefix(dep, forbidden) {
					t.Errorf("%s depends on %s: %s", pkg, dep, rule.why)
				}
			}
		}
	}
	if all := dependencies(t, "/cmd/shipments-svc"); !slices.Contains(all, module+transport) ||
		!slices.Contains(all, module+postgres) {
		t.Error("go list does not show dependencies: this test tests nothing")
	}
}

// TestNothingThatTestsIsShipped: what only tests need stays out of the binary.
func TestNothingThatTestsIsShipped(t *testing.T) {
	t.Parallel()
	for _, dep := range dependencies(t, "/cmd/shipments-svc") {
		for _, forbidden := range []string{
			"testing", "github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest", "github.com/Shopify/toxiproxy",
			"github.com/getkin/kin-openapi", "github.com/go-pdf/fpdf",
			"github.com/google/go-cmp", "github.com/rogpeppe/go-internal", "github.com/standard-webhooks",
		} {
			if dep == forbidden || strings.HasPrefix(dep, forbidden+"/") {
				t.Errorf("the program contains %s", dep)
			}
		}
	}
}
