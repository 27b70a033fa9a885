package tokens

import (
	"slices"
	"strings"
	"testing"
)

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
		{"admin", "admin documents:read documents:write shipments:read shipments:review shipments:write webhooks:manage"},
		{"admin shipments:read", "admin documents:read documents:write shipments:read shipments:review shipments:write webhooks:manage"},
		{"invoices:write shipments:write", "invoices:write shipments:read shipments:write"}, // no longer in the catalogue
	} {
		var granted []Permission
		for name := range strings.FieldsSeq(c.granted) {
			granted = append(granted, Permission(name))
		}
		before := slices.Clone(granted)
		got := strings.ReplaceAll(list(builtIn().Expand(granted)), ",", "")
		if got != c.want || !slices.Equal(granted, before) {
			t.Errorf("Expand(%s) = %s, want %s", c.granted, got, c.want)
		}
	}
}

func TestUnknownPermissionsAreRefusedWithTheNearest(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"shipment:read":   "shipments:read",
		"shipments:raed":  "shipments:read",
		"shipments:wirte": "shipments:write",
		"SHIPMENTS:READ":  "shipments:read",
		"document:write":  "documents:write",
		"webhook:manage":  "webhooks:manage",
		"Admin":           "admin",
		"root":            "admin",
		"":                "admin",
	} {
		p, err := builtIn().Parse(text)
		if err == nil || !strings.HasSuffix(err.Error(), "did you mean "+want+"?") {
			t.Errorf("Parse(%q) = %q, %v; want %s named", text, p, err, want)
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
