package contract

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite generated parts of README.md")

// TestReadmeShowsEachProgramsConfiguration: the tables of the front page are
// the programs' own, which each module's tests generate from its code.
func TestReadmeShowsEachProgramsConfiguration(t *testing.T) {
	t.Parallel()
	readme := string(read(t, "README.md"))
	fresh := readme
	for _, program := range []string{"gateway", "shipments-svc", "tokens-svc"} {
		table := between(t, string(read(t, filepath.Join(program, "README.md"))), "config")
		marker := "<!-- config:" + program + " -->"
		fresh = strings.Replace(fresh, marker+between(t, fresh, "config:"+program), marker+table, 1)
	}
	if fresh == readme {
		return
	}
	if !*update {
		t.Fatal("the configuration tables differ from the modules': go test ./contract -update")
	}
	if err := os.WriteFile(filepath.Join(root, "README.md"), []byte(fresh), 0o600); err != nil {
		t.Fatal(err)
	}
}

// between returns the generated part of a Markdown text with its markers cut off.
func between(t *testing.T, text, name string) string {
	t.Helper()
	_, rest, opened := strings.Cut(text, "<!-- "+name+" -->")
	part, _, closed := strings.Cut(rest, "<!-- /"+name+" -->")
	if !opened || !closed {
		t.Fatalf("no <!-- %s --> … <!-- /%s -->", name, name)
	}
	return part
}
