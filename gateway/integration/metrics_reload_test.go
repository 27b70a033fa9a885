package integration

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

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
