package config

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/settings"
)

var update = flag.Bool("update", false, "rewrite the configuration table of README.md")

// TestTheReadmeShowsTheConfiguration: its table is generated, with -update.
func TestTheReadmeShowsTheConfiguration(t *testing.T) {
	t.Parallel()
	const path, start, end = "../../README.md", "<!-- config -->\n", "<!-- /config -->"
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(content), start)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("README.md has no %s … %s", strings.TrimSpace(start), end)
	}
	want := before + start + settings.Table[Settings]() + end + after
	if string(content) == want {
		return
	}
	if !*update {
		t.Fatal("the table is out of date: go test ./internal/config -update")
	}
	if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
		t.Fatal(err)
	}
}
