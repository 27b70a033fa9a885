package config

import (
	"os"
	"path/filepath"
	"regexp"
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
	return Load([]string{"SERVICE_PERMISSIONS=*.json"}, Permissions)
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

// goName is what an error of encoding/json, or of reflection, says about a type of this program.
var goName = regexp.MustCompile(`: json:|Go |tokens\.|\[\]|struct|jsontext`)

// TestAFaultyFileOfPermissionsIsRefused with its name, the place and the reason.
func TestAFaultyFileOfPermissionsIsRefused(t *testing.T) {
	const good = `"name": "a:b", "text": "x"`
	for content, want := range map[string]string{
		``:            "the file is empty",
		`permissions`: "line 1: the file is not JSON",
		`{}`:          "has no permissions; list at least one, or remove the file",
		`[]`:          "the file must be an object, not an array",
		`null`:        "the file must be an object, not null",
		"{\n\"permissions\": [\n{" + good + "}],\n}": "line 3: the file is not JSON",
		`{"permissions": [{` + good +
			`}]`: "line 1: the file is not JSON: it ends early; correct the JSON",
		`{"permissions": [{` + good + `}]} {}`: "there is something after the value",
		"{\"permissions\": [{\n" + good +
			",\n\"text\": \"y\"}]}": `line 3: the member "text" is given twice; correct the JSON`,
		`{"permissions": [], "permissions": [{` + good + `}]}`: `line 1: the member "permissions" is given twice`,
		`{"permissions": [{` + good + `, "member": true}]}`: `/permissions/0/member: there is no member "member"; ` +
			`did you mean "members"?`,
		`{"permissions": [{` + good + `}], "presets": []}`:      "/presets: presets are built in; remove them",
		`{"permissions": [{` + good + `, "members": "yes"}]}`:   "/permissions/0/members: members must be a boolean",
		`{"permissions": [{"name": "a:b\u0000", "text": "x"}]}`: `permission "a:b\x00": must be like temperatures:read`,
		`{"permissions": [{"name": "a:b", "text": "x\u0000"}]}`: `permission "a:b": text must have 1 to 200 characters`,
		`{"permissions": [{"name": "shipments:read", "text": "x"}]}`: `permission "shipments:read": is built in; ` +
			`choose another name`,
		`{"permissions": [{"name": "a:b", "text": "x", "includes": ["c:d"]}, ` +
			`{"name": "c:d", "text": "x", "includes": ["a:b"]}]}`: `permission "a:b": includes c:d, which includes it in turn`,
		strings.Repeat(" ", maxFile) + "{}": "has 1048578 bytes; the limit is 1048576",
	} {
		_, err := permissions(t, map[string]string{"faulty.json": content})
		if err == nil || !strings.Contains(err.Error(), "SERVICE_PERMISSIONS: faulty.json: ") ||
			!strings.Contains(err.Error(), want) || len(err.Error()) > 4_000 {
			t.Errorf("%.80s\n%v\nwant %s", content, err, want)
		} else if name := goName.FindString(err.Error()); name != "" {
			t.Errorf("%.80s\n%v\nnames %q", content, err, name)
		}
	}
}

func TestAllFaultsOfAllFilesAreReported(t *testing.T) {
	_, err := permissions(t, map[string]string{
		"a.json": `{"permissions": [{"name": 1}], "x": 2}`,
		"b.json": `{"permissions": [{"name": "a:b", "text": "x"}, {"name": "c:d"}]}`,
		"c.json": `{"permissions": [{"name": "a:b", "text": "x"}]}`,
		"d.json": `{"permissions"}`,
	})
	for _, want := range []string{
		"a.json: /permissions/0/name: ", "\na.json: /x: ", "\nd.json: line 1: ", `b.json: permission "c:d": text must have`,
		`c.json: permission "a:b": is defined already in b.json; rename or remove one of the two`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is missing from:\n%v", want, err)
		}
	}
}

func TestOnlyRegularFilesAreRead(t *testing.T) {
	directory := filepath.Join(t.TempDir(), "x.json")
	if err := os.Mkdir(directory, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		directory:         directory + ": is not a regular file; name files",
		"/dev/zero":       "/dev/zero: is not a regular file",
		"nowhere.json":    "there is no file nowhere.json",
		"services/[.json": "syntax error in pattern",
	} {
		if _, err := Load([]string{"SERVICE_PERMISSIONS=" + path}, Permissions); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := Load([]string{"SERVICE_PERMISSIONS=nowhere/*.json"}, Permissions); err != nil {
		t.Errorf("no further service: %v", err)
	}
}
