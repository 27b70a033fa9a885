package kubernetes

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"
)

// prometheusOperator contains the schemas of the Prometheus Operator.
const prometheusOperator = "github.com/prometheus-operator/prometheus-operator@v0.85.0"

func TestTheObjectsOfThePrometheusOperatorMatchItsSchemas(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	monitor := regexp.MustCompile("(?s)```yaml\n([^`]*kind: PodMonitor.*?)```").FindSubmatch(readme)
	rules := regexp.MustCompile("(?s)```sh\n([^`]*kind: PrometheusRule.*?)```").FindSubmatch(readme)
	if monitor == nil || rules == nil {
		t.Fatal("the page has no PodMonitor or no PrometheusRule")
	}
	// The commands run as they are, with a kubectl that prints what it would apply.
	shell := exec.CommandContext(t.Context(), "sh", "-euc", "kubectl() { echo ---; cat; }\n"+string(rules[1]))
	shell.Dir = root
	applied, err := shell.Output()
	if err != nil {
		t.Fatal(err)
	}
	validate(t, append(monitor[1], applied...), "--local-crds", filepath.Join(module(t, prometheusOperator), "example", "prometheus-operator-crd"))
}

// module returns the directory of a module of the Go proxy.
func module(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", name).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var m struct{ Dir string }
	if err := json.Unmarshal(out, &m); err != nil {
		t.Fatal(err)
	}
	return m.Dir
}
