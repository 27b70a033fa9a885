package e2e

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

// The published examples run unchanged.
func TestExamplesInEveryLanguageWork(t *testing.T) {
	t.Parallel()
	const want = "CFE-2026-0117: ready_for_review, 3 pallets\nwarn required_documents: "
	for name, command := range map[string][]string{
		"curl":       {"sh", "../../examples/quickstart.sh"},
		"Go":         {"go", "run", "../../examples/quickstart", "../../examples/packing-list.csv"},
		"Python":     {"python3", "../../examples/quickstart.py"},
		"JavaScript": {"node", "../../examples/quickstart.mjs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(command[0]); err != nil && os.Getenv("CI") == "" {
				t.Skipf("no %s on PATH", command[0])
			}
			example := exec.CommandContext(t.Context(), command[0], command[1:]...)
			example.Env = append(os.Environ(), "QUAYSIDE_URL="+stack.URL,
				"QUAYSIDE_TOKEN="+fresh(t, "shipments:write,documents:write").Secret)
			out, err := example.CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if !strings.HasPrefix(string(out), want) || strings.Count(string(out), "\n") != 2 {
				t.Errorf("got\n%swant\n%s…", out, want)
			}
		})
	}
}
