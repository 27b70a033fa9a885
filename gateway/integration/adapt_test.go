package integration

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/caddyserver/caddy/v2/caddyconfig"
)

var update = flag.Bool("update", false, "rewrite golden files")

// goldenSeparator separates a Caddyfile from its JSON, as in Caddy's own adapt tests.
const goldenSeparator = "\n----------\n"

// Each file in testdata/adapt is a Caddyfile and its JSON, or the error.
func TestAdapt(t *testing.T) {
	t.Parallel()

	files, err := filepath.Glob("testdata/adapt/*.caddyfiletest")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".caddyfiletest"), func(t *testing.T) {
			t.Parallel()
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			input, want, _ := strings.Cut(string(raw), goldenSeparator)
			got := adapt(t, []byte(input))
			if *update {
				if err := os.WriteFile(file, []byte(input+goldenSeparator+got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// The shipped Caddyfile with the secrets that it needs, with origins, and nothing else in the environment.
func TestAdaptShipped(t *testing.T) {
	t.Setenv("GATEWAY_CREDENTIAL", testCredential)
	t.Setenv("GATEWAY_SIGNING_KEY", testSigningKey(t))
	t.Setenv("CORS_ALLOWED_ORIGINS", "https://app.example http://localhost:3000")
	input, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	const golden = "testdata/shipped.json"
	got := adaptFile(t, "../Caddyfile", input)
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func adapt(t *testing.T, input []byte) string {
	t.Helper()
	return adaptFile(t, "Caddyfile", input)
}

// adaptFile adapts the content of a Caddyfile, whose imports are relative to its path.
func adaptFile(t *testing.T, path string, input []byte) string {
	t.Helper()
	compact, _, err := caddyconfig.GetAdapter("caddyfile").Adapt(input, map[string]any{"filename": path})
	if err != nil {
		return err.Error() + "\n"
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, compact, "", "\t"); err != nil {
		t.Fatal(err)
	}
	return indented.String() + "\n"
}
