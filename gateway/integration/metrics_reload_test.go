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

// Metrics belong to the process: counters continue after a reload, and no series exists twice.
func TestReloadsKeepMetrics(t *testing.T) {
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
			t.Errorf("after %d reloads the counter is not %d", n-1, n)
		}
		if lines := series(text); len(slices.Compact(slices.Clone(lines))) != len(lines) {
			t.Errorf("after %d reloads a series exists twice", n-1)
		}
		g.reload(t)
	}
	if strings.Contains(g.log.String(), "duplicate") {
		t.Error("a collector was registered twice")
	}
}

// A reload frees the registry and the goroutines of the previous configuration.
func TestReloadsLeakNoGoroutinesFilesOrMetrics(t *testing.T) {
	t.Parallel()

	g := start(t, options{})
	token, _ := g.tokens.create("")
	reload := func() {
		g.get(t, "/api/v1/shipments", newCaller(t), token)
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
	if now := all(); now > lines+20 { // new buckets of histograms are possible; a second registry would double the lines
		t.Errorf("%d lines of metrics became %d", lines, now)
	}
}

// series returns the gateway's series, sorted, without their values.
func series(metrics string) (names []string) {
	for line := range strings.Lines(metrics) {
		if strings.HasPrefix(line, "quayside_gateway_") {
			names = append(names, line[:strings.LastIndexByte(line, ' ')])
		}
	}
	slices.Sort(names)
	return names
}

// The number of series does not depend on the number of tokens, addresses and paths.
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
	// Histograms and counters about Redis may appear with any of these requests; they have no such label.
	known := regexp.MustCompile(`\{(?:(?:kind|outcome|source|window|decision|service|code|status|state|le)=` +
		`"[a-zA-Z0-9_.:+-]*",?)*\}$`)
	for _, name := range series(g.metrics(t)) {
		if strings.Contains(name, "{") && !known.MatchString(name) {
			t.Errorf("an unbounded label: %s", name)
		}
	}
	if after := series(g.metrics(t)); len(after) > len(before)+12 { // 20 further customers would exceed it
		t.Errorf("%d series became %d", len(before), len(after))
	}
}
