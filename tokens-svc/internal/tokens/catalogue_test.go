package tokens

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// further is the permissions of a service that Quayside does not ship.
const further = `{"permissions": [
	{"name": "temperatures:read", "text": "Read temperatures", "members": true},
	{"name": "temperatures:write", "text": "Record temperatures", "includes": ["temperatures:read"], "members": true},
	{"name": "temperatures:audit", "text": "Audit temperatures", "includes": ["temperatures:write", "shipments:review"]}
]}`

func TestPermissionsOfFurtherServices(t *testing.T) {
	t.Parallel()
	c, err := NewCatalogue(PermissionFile{"coldchain.json", []byte(further)})
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.Parse("temperatures:write"); err != nil || p != "temperatures:write" || c.Text(p) != "Record temperatures" {
		t.Errorf("%q, %q, %v", p, c.Text(p), err)
	}
	if _, err := c.Parse("temperature:read"); err == nil || !strings.HasSuffix(err.Error(), "did you mean temperatures:read?") {
		t.Errorf("%v", err)
	}
	if got, want := list(c.Expand([]Permission{"temperatures:audit"})), "shipments:review, temperatures:audit, temperatures:read, temperatures:write"; got != want {
		t.Errorf("temperatures:audit amounts to %s, want %s", got, want)
	}
	if got := c.Expand([]Permission{Admin}); !slices.Equal(got, c.All()) || len(got) != len(AllPermissions())+3 {
		t.Errorf("admin amounts to %s", list(got))
	}
	if got, want := list(c.OfMembers()), "documents:read, documents:write, shipments:read, shipments:write, temperatures:read, temperatures:write"; got != want {
		t.Errorf("members may grant %s, want %s", got, want)
	}
	if !slices.IsSorted(c.All()) || c.Text("invoices:read") != "" {
		t.Errorf("%s, %q", list(c.All()), c.Text("invoices:read"))
	}
}

func TestAllFaultsOfPermissionFilesAreReported(t *testing.T) {
	t.Parallel()
	files := []PermissionFile{
		{"names.json", []byte(`{"permissions": [
			{"name": "Temperatures", "text": "x"}, {"name": "a:b:c", "text": "x"}, {"name": "admin", "text": "x"}, {"name": "a:b", "text": " "},
			{"name": "c:d", "text": "two\nlines"}, {"name": "shipments:read", "text": "Read"}]}`)},
		{"includes.json", []byte(`{"permissions": [
			{"name": "e:f", "text": "x", "includes": ["shipment:read", "admin"]},
			{"name": "g:h", "text": "x", "includes": ["shipments:review"], "members": true}]}`)},
		{"presets.json", []byte(`{"permissions": [{"name": "i:j", "text": "x"}], "presets": [{"id": "x"}]}`)},
		{"misspelt.json", []byte(`{"permissions": [{"name": "k:l", "text": "x", "member": true}]}`)},
		{"empty.json", []byte(`{}`)},
		{"two.json", []byte(`{"permissions": [{"name": "m:n", "text": "x"}]} {}`)},
		{"text.json", []byte(`permissions`)},
	}
	_, err := NewCatalogue(files...)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`names.json: permission "Temperatures": must be like temperatures:read`,
		`names.json: permission "a:b:c": must be like temperatures:read`,
		`names.json: permission "admin": is defined already in the built-in permissions`,
		`names.json: permission "a:b": text must have 1 to 200 characters`,
		`names.json: permission "c:d": text must have 1 to 200 characters`,
		`names.json: permission "shipments:read": is defined already in the built-in permissions`,
		`presets.json: presets are built in`,
		`misspelt.json: is not JSON of the documented form: json: unknown field "member"`,
		`empty.json: has no permissions`,
		`two.json: has something after its JSON value`,
		`text.json: is not JSON of the documented form`,
		`includes.json: permission "e:f": includes: unknown permission "shipment:read"; did you mean shipments:read?`,
		`includes.json: permission "e:f": includes admin`,
		`includes.json: permission "g:h": includes shipments:review, which members may not grant`,
	}
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if i >= len(want) || !strings.HasPrefix(line, want[i]) {
			t.Errorf("problem %d: %s", i, line)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d problems, want %d", len(lines), len(want))
	}
}

func TestAtMost100PermissionsAreDefined(t *testing.T) {
	t.Parallel()
	for further, want := range map[int]string{
		100 - len(AllPermissions()): "",
		101 - len(AllPermissions()): "all files together define 101 permissions; the limit is 100, because requests carry them",
	} {
		var entries []string
		for n := range further {
			entries = append(entries, fmt.Sprintf(`{"name": "further%d:read", "text": "x"}`, n))
		}
		got := ""
		if _, err := NewCatalogue(PermissionFile{"many.json", fmt.Appendf(nil, `{"permissions": [%s]}`, strings.Join(entries, ","))}); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d further permissions: %q, want %q", further, got, want)
		}
	}
}

// TestTheREADMEHasThePermissions as the built-in file has them.
func TestTheREADMEHasThePermissions(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, e := range builtIn().entries {
		includes := list(e.Includes)
		if e.Name == Admin {
			includes = "all of them"
		}
		table.WriteString(strings.ReplaceAll(fmt.Sprintf("| `%s` | %s | %s | %s |\n", e.Name, e.Text, includes, map[bool]string{true: "yes"}[e.Members]), "|  |", "| |"))
	}
	if want := "|---|---|---|---|\n" + strings.ReplaceAll(table.String(), "|  |", "| |"); !strings.Contains(string(readme), want) {
		t.Errorf("README.md lacks this table:\n%s", want)
	}
}
