package main

import (
	"slices"

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

// verdict is the result of a goal.
type verdict struct {
	goal
	ratio     float64 // median of the rounds
	low, high float64 // the lowest and the highest
	met       bool
	beyond    bool // the stricter goal is met
}

// evaluate compares the figures of each round.
func (g goal) evaluate(all results) (v verdict, measured bool) {
	ours := all[measurement{g.scenario, g.mode, gateway}]
	theirs := all[measurement{g.scenario, g.mode, g.against}]
	if len(ours) == 0 || len(ours) != len(theirs) {
		return v, false
	}
	ratios := make([]float64, len(ours))
	for i := range ours {
		ratios[i] = g.figure(ours[i]) / g.figure(theirs[i])
	}
	v = verdict{goal: g, ratio: benchmark.Median(ratios), low: slices.Min(ratios), high: slices.Max(ratios)}
	v.met = g.reaches(v.ratio, g.limit)
	v.beyond = v.met && g.further > 0 && g.reaches(v.ratio, g.further)
	return v, true
}

func (g goal) reaches(ratio, limit float64) bool {
	if g.atLeast {
		return ratio >= limit
	}
	return ratio <= limit
}
