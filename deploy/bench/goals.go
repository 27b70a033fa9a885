package main

import (
	"fmt"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

// goal is a bound for a ratio.
type goal struct {
	what     string
	scenario string // key
	mode     mode
	against  string // the target to compare with
	figure   func(figures) float64
	limit    float64
	further  float64 // a stricter goal; 0: none
	atLeast  bool    // limit is a lower bound, else an upper one
}

func cpu(f figures) float64        { return f.cpu }
func redisCPU(f figures) float64   { return f.redisCPU }
func throughput(f figures) float64 { return f.throughput }
func p99(f figures) float64        { return float64(f.p99) }

// goals are the goals of the gateway.
var goals = []goal{
	{what: "CPU a request", scenario: "many", mode: saturated, against: bare, figure: cpu, limit: 1.05, further: 0.95},
	{what: "throughput", scenario: "many", mode: saturated, against: bare, figure: throughput, limit: 1, further: 1.1, atLeast: true},
	{what: "CPU a request", scenario: "hot", mode: saturated, against: bare, figure: cpu, limit: 1, further: 0.95},
	{what: "throughput", scenario: "hot", mode: saturated, against: bare, figure: throughput, limit: 1, further: 1.1, atLeast: true},
	{what: "CPU a request", scenario: "many", mode: steady, against: bare, figure: cpu, limit: 1.35},
	{what: "p99", scenario: "many", mode: steady, against: bare, figure: p99, limit: 1.2},
	{what: "CPU a request", scenario: "refused", mode: saturated, against: bare, figure: cpu, limit: 0.40},
	{what: "throughput", scenario: "refused", mode: saturated, against: bare, figure: throughput, limit: 2.5, atLeast: true},
	{what: "CPU a request", scenario: "mistyped", mode: saturated, against: bare, figure: cpu, limit: 0.40},
	{what: "throughput", scenario: "mistyped", mode: saturated, against: bare, figure: throughput, limit: 2.5, atLeast: true},
	{what: "Redis's CPU a request", scenario: "many", mode: saturated, against: scriptCalls, figure: redisCPU, limit: 0.25},
	{what: "Redis's CPU a request", scenario: "hot", mode: saturated, against: scriptCalls, figure: redisCPU, limit: 0.1},
}

// maxMemory is the goal for the gateway's peak memory, in bytes.
const maxMemory = 90 << 20

// ratios returns the ratio of each round, nil if the scenario was not measured.
func (g goal) ratios(all results) []float64 {
	ours := all[measurement{g.scenario, g.mode, gateway}]
	theirs := all[measurement{g.scenario, g.mode, g.against}]
	if len(ours) == 0 || len(ours) != len(theirs) {
		return nil
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = g.figure(ours[i]) / g.figure(theirs[i])
	}
	return ratios
}

// isMet reports whether the median of the ratios reaches the limit.
func (g goal) isMet(ratios []float64) bool {
	if g.atLeast {
		return benchmark.Median(ratios) >= g.limit
	}
	return benchmark.Median(ratios) <= g.limit
}

// bounds are the goal's limits.
func (g goal) bounds() string {
	sign := "≤"
	if g.atLeast {
		sign = "≥"
	}
	if g.further > 0 {
		return fmt.Sprintf("%s %g, then %g", sign, g.limit, g.further)
	}
	return fmt.Sprintf("%s %g", sign, g.limit)
}
