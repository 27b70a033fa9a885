package tokens

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// further is the permissions of a service that Quayside does not ship.
var further = []Definition{
	{Name: "temperatures:read", Text: "Read temperatures", Members: true},
	{Name: "temperatures:write", Text: "Record temperatures", Includes: []Permission{"temperatures:read"}, Members: true},
	{
		Name: "temperatures:audit", Text: "Audit temperatures",
		Includes: []Permission{"temperatures:write", "shipments:review"},
	},
}

func TestPermissionsOfFurtherServices(t *testing.T) {
	t.Parallel()
	c, err := NewCatalogue(further...)
	if err != nil {
		t.Fatal(err)
	}
	if p, err := c.Parse("temperatures:write"); err != nil || p != "temperatures:write" ||
		c.Text(p) != "Record temperatures" {
		t.Errorf("%q, %q, %v", p, c.Text(p), err)
	}
	if _, err := c.Parse("temperature:read"); err == nil ||
		!strings.HasSuffix(err.Error(), "did you mean temperatures:read?") {
		t.Errorf("%v", err)
	}
	if got, want := commaSeparated(c.Expand([]Permission{"temperatures:audit"})),
		"shipments:review, temperatures:audit, temperatures:read, temperatures:write"; got != want {
		t.Errorf("temperatures:audit amounts to %s, want %s", got, want)
	}
	if got := c.Expand([]Permission{Admin}); !slices.Equal(got, c.All()) || len(got) != len(builtIn().All())+3 {
		t.Errorf("admin amounts to %s", commaSeparated(got))
	}
	if got, want := commaSeparated(c.OfMembers()),
		"documents:read, documents:write, shipments:read, shipments:write, temperatures:read, "+
			"temperatures:write"; got != want {
		t.Errorf("members may grant %s, want %s", got, want)
	}
	if !slices.IsSorted(c.All()) || c.Text("invoices:read") != "" {
		t.Errorf("%s, %q", commaSeparated(c.All()), c.Text("invoices:read"))
	}
	if got := commaSeparated(builtIn().All()); strings.Contains(got, "temperatures") {
		t.Errorf("the built-in permissions have become %s", got)
	}
}

func TestAllFaultsOfPermissionsAreReported(t *testing.T) {
	t.Parallel()
	names := func(names ...Permission) []Permission { return names }
	_, err := NewCatalogue(
		Definition{File: "a.json", Name: "Temperatures", Text: "x"},
		Definition{File: "a.json", Name: "a:b:c", Text: "x"},
		Definition{File: "a.json", Name: "a:b\x00", Text: "x"},
		Definition{File: "a.json", Name: "admin", Text: "x"},
		Definition{File: "a.json", Name: "a:b", Text: " "},
		Definition{File: "a.json", Name: "c:d", Text: "two\nlines"},
		Definition{File: "a.json", Name: "c:e", Text: strings.Repeat("é", maxReason+1)},
		Definition{File: "a.json", Name: "shipments:read", Text: "Read"},
		Definition{File: "b.json", Name: "c:d", Text: "x"},
		Definition{File: "b.json", Name: "e:f", Text: "x", Includes: names("shipment:read", "admin")},
		Definition{File: "b.json", Name: "g:h", Text: "x", Includes: names("shipments:review"), Members: true},
	)
	if err == nil {
		t.Fatal("no error")
	}
	want := []string{
		`a.json: permission "Temperatures": must be like temperatures:read: two words of ` +
			`at most 32 lower-case letters, digits, _ and -`,
		`a.json: permission "a:b:c": must be like temperatures:read`,
		`a.json: permission "a:b\x00": must be like temperatures:read`,
		`a.json: permission "admin": is built in; choose another name`,
		`a.json: permission "a:b": text must have 1 to 200 characters`,
		`a.json: permission "c:d": text must have 1 to 200 characters`,
		`a.json: permission "c:e": text must have 1 to 200 characters`,
		`a.json: permission "shipments:read": is built in; choose another name`,
		`b.json: permission "c:d": is defined already in a.json; rename or remove one of the two`,
		`b.json: permission "e:f": includes: unknown permission "shipment:read"; did you mean shipments:read?`,
		`b.json: permission "e:f": includes admin; grant admin itself`,
		`b.json: permission "g:h": includes shipments:review, which members may not grant; remove it, or members`,
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
	for n, want := range map[int]string{
		100 - len(builtIn().All()): "",
		101 - len(builtIn().All()): "all files together define 101 permissions; the limit is 100, because requests carry " +
			"them",
	} {
		further := make([]Definition, n)
		for i := range further {
			further[i] = Definition{Name: Permission(fmt.Sprintf("further%d:read", i)), Text: "x"}
		}
		got := ""
		if _, err := NewCatalogue(further...); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%d further permissions: %q, want %q", n, got, want)
		}
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ granted, want string }{
		{"", ""},
		{"shipments:read", "shipments:read"},
		{"shipments:write", "shipments:read shipments:write"},
		{"documents:write", "documents:read documents:write"},
		{"shipments:review", "shipments:review"},
		{"webhooks:manage", "webhooks:manage"},
		{"shipments:write documents:read shipments:read", "documents:read shipments:read shipments:write"},
		{
			"admin",
			"admin audit:read documents:read documents:write shipments:read shipments:review shipments:write tokens:read " +
				"webhooks:manage",
		},
		{
			"admin shipments:read",
			"admin audit:read documents:read documents:write shipments:read shipments:review shipments:write tokens:read " +
				"webhooks:manage",
		},
		{"invoices:write shipments:write", "invoices:write shipments:read shipments:write"}, // no longer in the catalogue
	} {
		var granted []Permission
		for name := range strings.FieldsSeq(c.granted) {
			granted = append(granted, Permission(name))
		}
		before := slices.Clone(granted)
		got := strings.ReplaceAll(commaSeparated(builtIn().Expand(granted)), ",", "")
		if got != c.want || !slices.Equal(granted, before) {
			t.Errorf("Expand(%s) = %s, want %s", c.granted, got, c.want)
		}
	}
}

func TestUnknownPermissionsAreRefusedWithTheNearest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"shipment:read":   "did you mean shipments:read?",
		"shipments:raed":  "did you mean shipments:read?",
		"shipments:wirte": "did you mean shipments:write?",
		"SHIPMENTS:READ":  "did you mean shipments:read?",
		"document:write":  "did you mean documents:write?",
		"webhook:manage":  "did you mean webhooks:manage?",
		"Admin":           "did you mean admin?",
		"root":            "there are " + commaSeparated(builtIn().All()),
		"":                "there are " + commaSeparated(builtIn().All()),
	} {
		p, err := builtIn().Parse(text)
		if err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("Parse(%q) = %q, %v; want %s", text, p, err, want)
		}
	}
	for _, p := range builtIn().All() {
		if got, err := builtIn().Parse(string(p)); got != p || err != nil {
			t.Errorf("Parse(%q) = %q, %v", p, got, err)
		}
	}
	if !slices.IsSorted(builtIn().All()) {
		t.Error("the catalogue is not sorted")
	}
}
