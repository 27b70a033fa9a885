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
