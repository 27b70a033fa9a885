package pages_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/pages"
)

// TestSectionsOfFurtherServices stand before the last, for people with their permission, on all pages.
func TestSectionsOfFurtherServices(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "coldchain.json")
	texts := func(content, path string, permissions ...string) string {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		sections, err := pages.ReadSections(file)
		if err != nil {
			return err.Error()
		}
		var all []string
		for _, tab := range sections.Of("org_1", path, permissions) {
			if all = append(all, tab.Text); tab.Current {
				all = append(all, "here")
			}
		}
		return strings.Join(all, " ")
	}
	const further = `{"permissions":[],"sections":[{"text":"Cold","path":"/cold/{org}","permission":"cold:read"}]}`
	for name, c := range map[string]struct{ got, want string }{
		"the product's own": {texts(`{}`, "/settings/org_1/members"), "Shipments API Members here Organization"},
		"a page below":      {texts(further, "/cold/org_1/a", "cold:read"), "Shipments API Members Cold here Organization"},
		"no permission":     {texts(further, "/cold/org_12"), "Shipments API Members Organization"},
		"without {org}": {
			texts(`{"sections":[{"text":"Cold","path":"/cold"}]}`, ""),
			file + ": section 1 must have a text, and a path with {org} such as /temperatures/{org}",
		},
	} {
		if c.got != c.want {
			t.Errorf("%s: %s, want %s", name, c.got, c.want)
		}
	}
}
