package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// resources are figures that must return to their start, by program and name.
type resources map[string]map[string]float64

// resourceMetrics are the metrics by short name. Most open files are sockets.
var resourceMetrics = map[string]string{
	"go_goroutines":                 "goroutines",
	"process_resident_memory_bytes": "memory",
	"process_open_fds":              "connections",
}

// tolerance is the share by which a figure may stay above its start.
const tolerance = 0.10

// readResources reads the metrics of every program.
func (r *topology) readResources(ctx context.Context) (resources, error) {
	g := resources{}
	for _, p := range r.stack.Programs() {
		one, err := r.scrape(ctx, p, resourceMetrics)
		if err != nil {
			return nil, fmt.Errorf("metrics of %s: %w", p.Name, err)
		}
		g[p.Name] = one
	}
	return g, nil
}

// get requests a path of a program's internal listener.
func (r *topology) get(ctx context.Context, p *devstack.Program, path string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.Inner+path, nil)
	if err != nil {
		return nil, err
	}
	return r.inner.Do(req)
}

// scrape reads some of a program's metrics, summed over their labels, by short name.
func (r *topology) scrape(ctx context.Context, p *devstack.Program, names map[string]string) (map[string]float64, error) {
	res, err := r.get(ctx, p, "/metrics")
	if err != nil {
		return nil, errors.New(reason(err))
	}
	defer func() { _ = res.Body.Close() }()
	found := map[string]float64{}
	lines := bufio.NewScanner(res.Body)
	for lines.Scan() {
		metric, text, _ := strings.Cut(lines.Text(), " ")
		family, _, _ := strings.Cut(metric, "{")
		if name, ok := names[family]; ok {
			value, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return nil, err
			}
			found[name] += value
		}
	}
	if len(found) < len(names) {
		return nil, fmt.Errorf("only %v (%w)", found, lines.Err())
	}
	return found, nil
}

// median reads the resources several times, 100 ms apart.
func (r *topology) median(ctx context.Context, times int) (resources, error) {
	readings := make([]resources, times)
	for i := range readings {
		var err error
		if readings[i], err = r.readResources(ctx); err != nil {
			return nil, err
		}
		wait(ctx, 100*time.Millisecond)
	}
	median := readings[0]
	for program, all := range median {
		for name := range all {
			values := make([]float64, times)
			for i, reading := range readings {
				values[i] = reading[program][name]
			}
			slices.Sort(values)
			all[name] = values[times/2]
		}
	}
	return median, nil
}

// uncollected is what a program may hold besides before it is collected: package heapfloor.
const uncollected = 16 << 20

// above lists the figures that exceed their start by more than the tolerance.
func (g resources) above(start resources) (lines []string) {
	for _, program := range slices.Sorted(maps.Keys(start)) {
		for _, name := range slices.Sorted(maps.Keys(start[program])) {
			before, now := start[program][name], g[program][name]
			most := before * (1 + tolerance)
			if name == "memory" {
				most += uncollected
			}
			if now > most {
				lines = append(lines, fmt.Sprintf("%s: %s %s, at the start %s", program, name, amount(name, now), amount(name, before)))
			}
		}
	}
	return lines
}

// String formats all figures, a line for each program.
func (g resources) String() string {
	var lines []string
	for _, program := range slices.Sorted(maps.Keys(g)) {
		var parts []string
		for _, name := range slices.Sorted(maps.Keys(g[program])) {
			parts = append(parts, name+" "+amount(name, g[program][name]))
		}
		lines = append(lines, program+": "+strings.Join(parts, ", "))
	}
	return strings.Join(lines, "\n    ")
}

func amount(name string, value float64) string {
	if name == "memory" {
		return fmt.Sprintf("%.1f MiB", value/(1<<20))
	}
	return fmt.Sprintf("%.0f", value)
}
