package client_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestTheClientIsThatOfTheAPIDocument: generated anew it is the same.
func TestTheClientIsThatOfTheAPIDocument(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("client.go")
	if err != nil {
		t.Fatal(err)
	}
	_, command, _ := strings.Cut(string(source), "//go:generate ")
	command, _, _ = strings.Cut(command, "\n")
	fresh := filepath.Join(t.TempDir(), "client.gen.go")
	args := strings.Fields(strings.Replace(command, "-o client.gen.go", "-o "+fresh, 1))
	if out, err := exec.CommandContext(t.Context(), args[0], args[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want, err := os.ReadFile(fresh)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("client.gen.go"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("client.gen.go is out of date (%v): run go generate ./client", err)
	}
}
