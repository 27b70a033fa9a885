package config

import (
	"os"
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// permissions is Load of a directory with these files of permissions.
func permissions(t *testing.T, files map[string]string) (Config, error) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, content := range files {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Load([]string{"SERVICE_DEFINITIONS=*.json"}, Permissions)
}

func TestPermissionsOfAllFilesAreRead(t *testing.T) {
	cfg, err := permissions(t, map[string]string{
		"a.json": `{"permissions": [{"name": "temperatures:write", "text": "Record", ` +
			`"includes": ["temperatures:read"], "members": true}]}`,
		"b.json": `{"permissions": [{"name": "temperatures:read", "text": "Read", "members": true}]}`,
		"c.yml":  `not read`,
	})
	if err != nil {
		t.Fatal(err)
	}
	granted := cfg.Catalogue.Expand([]tokens.Permission{"temperatures:write"})
	if len(granted) != 2 || granted[0] != "temperatures:read" || len(cfg.Catalogue.OfMembers()) != 6 ||
		cfg.Catalogue.Text("temperatures:read") != "Read" {
		t.Errorf("%v, members: %v", granted, cfg.Catalogue.OfMembers())
	}
}

// TestAFaultyFileOfPermissionsIsRefused with its name and the reason.
func TestAFaultyFileOfPermissionsIsRefused(t *testing.T) {
	const good = `"name": "a:b", "text": "x"`
	for content, want := range map[string]string{
		``:                                     "EOF",
		`{}`:                                   "has no permissions; list at least one, or remove the file",
		`[]`:                                   "array",
		`{"permissions": [{` + good + `}]} {}`: "after top-level value",
		`{"permissions": [{` + good + `, "text": "y"}]}`:                       "duplicate object member name",
		`{"permissions": [{` + good + `, "member": true}]}`:                    `unknown object member name "member"`,
		`{"permissions": [{` + good + `}], "presets": []}`:                     `unknown object member name "presets"`,
		`{"permissions": [{` + good + `, "members": "yes"}]}`:                  "members",
		`{"permissions": [{"name": "shipments:read", "text": "x"}]}`:           `permission "shipments:read": is built in`,
		`{"permissions": [{"name": "a:b", "text": "x", "includes": ["c:d"]}]}`: `includes: unknown permission "c:d"`,
	} {
		_, err := permissions(t, map[string]string{"faulty.json": content})
		if err == nil || !strings.Contains(err.Error(), "SERVICE_DEFINITIONS: faulty.json: ") ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%.80s\n%v\nwant %s", content, err, want)
		}
	}
}

func TestFaultsOfAllFilesAreReported(t *testing.T) {
	_, err := permissions(t, map[string]string{
		"a.json": `{"permissions": [{"name": 1}]}`,
		"b.json": `{"permissions": [{"name": "a:b", "text": "x"}, {"name": "c:d"}]}`,
		"c.json": `{"permissions": [{"name": "a:b", "text": "x"}]}`,
	})
	for _, want := range []string{
		"a.json: ", `b.json: permission "c:d": text must have`,
		`c.json: permission "a:b": is defined already in b.json; rename or remove one of the two`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from:\n%v", want, err)
		}
	}
	for path, want := range map[string]string{
		"nowhere.json": "there is no file nowhere.json", "services/[.json": "syntax error in pattern",
	} {
		if _, err := Load([]string{"SERVICE_DEFINITIONS=" + path}, Permissions); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Load([]string{"SERVICE_DEFINITIONS=nowhere/*.json"}, Permissions); err != nil {
		t.Errorf("no further service: %v", err)
	}
}
