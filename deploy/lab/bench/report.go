package main

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// missed is the part of the report that is written by hand: why goals were
// missed.
//
//go:embed MISSED.md
var missed string

// report is the result of a run.
type report struct {
	facts     benchmark.Facts
	redis     string // its version
	settings  settings
	cores     cores
	scenarios []scenario
	results   results
	memory    map[string]int64 // peak by target, in bytes
	took      time.Duration
}

// goals evaluates the goals of the scenarios that were run.
func (r *report) goals() (list []benchmark.Goal) {
	for _, g := range goals {
		if ratios := g.ratios(r.results); ratios != nil {
			list = append(list, benchmark.Goal{
				Title:    fmt.Sprintf("%s, %s: %s, of %s's", r.title(g.scenario), g.mode, g.what, g.against),
				Limit:    g.bounds(),
				Measured: fmt.Sprintf("%.2f (%.2f – %.2f)", benchmark.Median(ratios), slices.Min(ratios), slices.Max(ratios)),
				Met:      g.isMet(ratios),
			})
		}
	}
	return append(list, benchmark.Goal{
		Title: "peak memory, MB", Limit: fmt.Sprintf("≤ %d", maxMemory>>20),
		Measured: fmt.Sprintf("%.0f", megabytes(r.memory[gateway])), Met: r.memory[gateway] <= maxMemory,
	})
}

// wrongResponses lists measurements with unexpected statuses.
func (r *report) wrongResponses() []string {
	var list []string
	for key, series := range r.results {
		wrong := map[int]int{}
		for _, f := range series {
			for status, n := range f.wrong {
				wrong[status] += n
			}
		}
		for _, status := range slices.Sorted(maps.Keys(wrong)) {
			what := fmt.Sprintf("status %d", status)
			if status == 0 {
				what = "a broken connection"
			}
			list = append(list, fmt.Sprintf("%s, %s, %s: %d × %s", r.title(key.scenario), key.mode, key.target, wrong[status], what))
		}
	}
	slices.Sort(list)
	return list
}

func (r *report) title(key string) string {
	return r.scenarios[slices.IndexFunc(r.scenarios, func(s scenario) bool { return s.key == key })].title
}

// Check implements benchmark.Report.
func (r *report) Check(strict bool) error {
	if wrong := r.wrongResponses(); len(wrong) > 0 {
		return fmt.Errorf("answers were not as they must be: %s", strings.Join(wrong, "; "))
	}
	if strict {
		return benchmark.CheckGoals(r.goals())
	}
	return nil
}

// Markdown implements benchmark.Report.
func (r *report) Markdown() string {
	var out strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	say("# The gateway compared with a bare Caddy\n")
	say("Written by `make bench`; [how it measures](../README.md#make-bench).\n")
	r.sayFacts(say)
	say("\n## Goals\n")
	say("A ratio is the gateway's figure divided by the other's in the same round: the median of %d rounds, the lowest and the highest.\n", r.settings.rounds)
	benchmark.WriteGoals(say, r.goals())
	r.writeFigures(say)
	if wrong := r.wrongResponses(); len(wrong) > 0 {
		say("\n## Wrong responses\n")
		say("Measurements with wrong responses are invalid:\n")
		for _, line := range wrong {
			say("- %s", line)
		}
	}
	return out.String() + missed
}

func (r *report) sayFacts(say func(string, ...any)) {
	say("- %s, commit %s, %s, Redis %s", r.facts.Date, r.facts.Commit, r.facts.Go, r.redis)
	say("- %s, %d cores, Linux %s; /proc/loadavg before the run: %s", r.facts.Processor, r.facts.Cores, r.facts.Kernel, r.facts.Load)
	if r.cores.gateway == "" {
		say("- not pinned: the measured program shares all cores with load, upstream and Redis")
	} else {
		say("- the measured program on %s; load, upstream, Redis, Postgres and tokens-svc on %s", named(r.cores.gateway), named(r.cores.others))
	}
	say("- GOGC=%s for all; %d connections; measured for %s after %s, %d rounds, in alternating order; steady is %d requests a second; %s in all",
		gcPercent(), r.settings.connections, r.settings.length, r.settings.warmup, r.settings.rounds, r.settings.rate, r.took.Round(time.Second))
}

// named is a list of cores in words: "core 0" or "cores 0-1".
func named(list string) string {
	if first, last, _ := strings.Cut(list, "-"); first == last {
		return "core " + first
	}
	return "cores " + list
}

// writeFigures writes the medians behind the ratios.
func (r *report) writeFigures(say func(string, ...any)) {
	say("\n## Figures\n")
	say("Medians. CPU in seconds for 1,000 requests; busy is the share of its cores that the program used: where it is")
	say("well under 100 %% of a saturated run, something else was the bottleneck and the throughput is a lower bound.\n")
	say("| traffic | program | requests/s | CPU | Redis's CPU | busy | p50 ms | p99 ms |")
	say("|---|---|---|---|---|---|---|---|")
	for _, sc := range r.scenarios {
		for _, m := range []mode{saturated, steady} {
			for _, target := range append([]string{gateway}, append(sc.beside, scriptCalls)...) {
				series := r.results[measurement{sc.key, m, target}]
				if len(series) == 0 {
					continue
				}
				of := func(figure func(figures) float64) float64 { return benchmark.MedianOf(series, figure) }
				say("| %s | %s | %.0f | %s | %.4f | %s | %s | %s |", sc.title+", "+string(m), target, of(throughput),
					shown("%.4f", of(cpu)), of(redisCPU), shown("%.0f %%", 100*of(func(f figures) float64 { return f.busy })),
					shown("%.2f", of(func(f figures) float64 { return milliseconds(f.p50) })),
					shown("%.2f", of(func(f figures) float64 { return milliseconds(f.p99) })))
			}
		}
	}
	say("")
	for _, target := range slices.Sorted(maps.Keys(r.memory)) {
		say("- peak memory of the %s: %.0f MB", target, megabytes(r.memory[target]))
	}
}

// shown leaves the cell of a zero empty.
func shown(format string, value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf(format, value)
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func megabytes(n int64) float64 { return float64(n) / (1 << 20) }
