package integration

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Metrics belong to the process: a new configuration counts on, and the previous one leaves
// nothing behind.
func TestMetricsGoOnWithEachReload(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	caller := newCaller(t)
	const forwarded = `quayside_gateway_requests_total{outcome="forwarded"} `
	for n := 1; n <= 3; n++ {
		if a := g.get(t, "/api/v1/shipments", caller, token); a.StatusCode != http.StatusOK {
			t.Fatal(a.Status)
		}
		text := g.metrics(t)
		if !strings.Contains(text, forwarded+strconv.Itoa(n)+"\n") {
			t.Errorf("after %d reloads there are not %d requests", n-1, n)
		}
		if lines := series(text); len(slices.Compact(slices.Clone(lines))) != len(lines) {
			t.Errorf("after %d reloads a series is there twice", n-1)
		}
		g.reload(t)
	}
	if strings.Contains(g.log.String(), "duplicate") {
		t.Error("a collector was registered twice")
	}
}

// A configuration that goes takes its registry with it, and all that ran for it.
func TestTwentyReloadsLeaveNothingBehind(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	reload := func() {
		g.introspect(t, token)
		g.reload(t)
	}
	reload()
	gauge := func(name string) float64 {
		_, value, _ := strings.Cut(g.metrics(t), "\n"+name+" ")
		n, err := strconv.ParseFloat(strings.SplitN(value, "\n", 2)[0], 64)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return n
	}
	all := func() int { return strings.Count(g.metrics(t), "\n") }
	goroutines, files, lines := gauge("go_goroutines"), gauge("process_open_fds"), all()
	for range 20 {
		reload()
	}
	eventually(t, func() bool {
		return gauge("go_goroutines") <= goroutines*1.1 && gauge("process_open_fds") <= files*1.1
	}, fmt.Sprintf("%v goroutines and %v files again", goroutines, files), g.log)
	if now := all(); now > lines+20 { // buckets of histograms may begin; a registry more would double them
		t.Errorf("%d lines of metrics have become %d", lines, now)
	}
}

// series returns the gateway's own, sorted, without their values.
func series(metrics string) (names []string) {
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "quayside_gateway_") {
			names = append(names, line[:strings.LastIndexByte(line, ' ')])
		}
	}
	slices.Sort(names)
	return names
}

// Neither callers nor paths add series, however many there are.
func TestNoMetricGrowsWithTokensAddressesOrPaths(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	traffic := func(n int) {
		caller, unknown := newCaller(t), func() string { text, _ := newToken(); return text }()
		known, _ := g.tokens.create("")
		path := "/api/v1/shipments/ship_" + strconv.Itoa(n)
		for _, token := range []string{known, unknown, "", "malformed"} {
			g.get(t, path, caller, token)
			g.get(t, "/elsewhere/"+strconv.Itoa(n), caller, token)
			g.get(t, "/settings/"+strconv.Itoa(n), caller, token)
		}
	}
	traffic(0)
	before := series(g.metrics(t))
	for n := 1; n <= 20; n++ {
		traffic(n)
	}
	// Histograms and counters of Redis's part may begin with any of these requests; they have no such label.
	known := regexp.MustCompile(`\{(?:(?:kind|outcome|source|window|decision|service|code|status|state|le)="[a-zA-Z0-9_.:+-]*",?)*\}$`)
	for _, name := range series(g.metrics(t)) {
		if strings.Contains(name, "{") && !known.MatchString(name) {
			t.Errorf("an unbounded label: %s", name)
		}
	}
	if after := series(g.metrics(t)); len(after) > len(before)+12 { // what 20 customers more would exceed
		t.Errorf("%d series have become %d", len(before), len(after))
	}
}
