// Package monitoring tests the rules, alerts and runbooks of this directory.
package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestEachAlertFiresForItsFaultAndNotBefore runs the cases in tests.
func TestEachAlertFiresForItsFaultAndNotBefore(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("promtool is not installed: apt-get install prometheus")
	}
	cases := glob(t, "tests/*.yml")
	out, err := exec.CommandContext(t.Context(), promtool, append([]string{"test", "rules"}, cases...)...).CombinedOutput()
	if err != nil {
		t.Errorf("promtool: %v\n%s", err, out)
	}
	for _, check := range [][]string{
		{"check", "config", "--syntax-only", "prometheus.yml"},
		append([]string{"check", "rules"}, glob(t, "rules/*.yml")...),
	} {
		if out, err := exec.CommandContext(t.Context(), promtool, check...).CombinedOutput(); err != nil {
			t.Errorf("promtool: %v\n%s", err, out)
		}
	}
}

var (
	alertName = regexp.MustCompile(`(?m)^ +- alert: (\w+)$`)
	caseName  = regexp.MustCompile(`alertname: (\w+)`)
	runbook   = regexp.MustCompile(`(?m)^ +runbook_url: \S+/deploy/monitoring/runbooks/(\w+)\.md$`)
)

func TestEachAlertHasARunbookAndACase(t *testing.T) {
	t.Parallel()
	rules := content(t, glob(t, "rules/*.yml"))
	var pages []string
	for _, path := range glob(t, "runbooks/*.md") {
		pages = append(pages, strings.TrimSuffix(filepath.Base(path), ".md"))
	}
	alerts := names(alertName, rules)
	if !slices.Equal(alerts, pages) {
		t.Errorf("alerts are\n%q, pages are\n%q", alerts, pages)
	}
	if cases := names(caseName, content(t, glob(t, "tests/*.yml"))); !slices.Equal(alerts, cases) {
		t.Errorf("alerts are\n%q, with cases are\n%q", alerts, cases)
	}
	var of []string // alerts and their runbooks, in order
	for _, found := range alertName.FindAllStringSubmatch(rules, -1) {
		of = append(of, found[1])
	}
	for i, found := range runbook.FindAllStringSubmatch(rules, -1) {
		if i >= len(of) || of[i] != found[1] {
			t.Fatalf("runbook %d is %s, of the alerts %q", i, found[1], of)
		}
	}
	if n := len(runbook.FindAllString(rules, -1)); n != len(of) {
		t.Errorf("%d alerts, %d runbooks", len(of), n)
	}
}

// A rule or a panel about a metric that does not exist would be silent for ever.
func TestRulesAndDashboardsAreAboutMetricsThatExist(t *testing.T) {
	t.Parallel()
	reference := content(t, []string{"../docs/reference/metrics.md"})
	used := names(regexp.MustCompile(`\b(quayside_\w+)`), content(t, append(glob(t, "rules/*.yml"),
		glob(t, "dashboards/*.json")...)))
	series := regexp.MustCompile(`_(count|sum|bucket)$`)
	program := regexp.MustCompile(`^quayside_(shipments|tokens)_`)
	for _, name := range used {
		metric := series.ReplaceAllString(name, "")
		if !strings.Contains(reference, "`"+metric+"`") &&
			!strings.Contains(reference, "`"+program.ReplaceAllString(metric, "quayside_PROGRAM_")+"`") {
			t.Errorf("no program has the metric %s", metric)
		}
	}
	if len(used) < 30 {
		t.Errorf("only %d metrics are used", len(used))
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(paths), err)
	}
	return paths
}

func content(t *testing.T, paths []string) string {
	t.Helper()
	var all strings.Builder
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all.Write(text)
	}
	return all.String()
}

// names returns what a pattern captures, sorted and once each.
func names(pattern *regexp.Regexp, text string) (found []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		found = append(found, match[1])
	}
	slices.Sort(found)
	return slices.Compact(found)
}
