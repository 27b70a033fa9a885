package main

import (
	"math"
	"strings"
	"testing"

	"github.com/quayside/quayside/deploy/bench/benchmark"
)

func TestGoalsUseTheMedianOfRatiosWithinRounds(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		goal         goal
		ours, theirs []float64
		ratio        float64
		met          bool
	}{
		"lower is better":  {goal{limit: 1.05, further: 0.95}, []float64{1, 9, 1}, []float64{1, 1, 1}, 1, true},
		"half as much":     {goal{limit: 1}, []float64{1}, []float64{2}, 0.5, true},
		"missed":           {goal{limit: 1}, []float64{3, 4}, []float64{2, 2}, 1.75, false},
		"higher is better": {goal{limit: 4, atLeast: true}, []float64{50}, []float64{10}, 5, true},
		"too low":          {goal{limit: 4, atLeast: true}, []float64{30}, []float64{10}, 3, false},
		// The ratio of medians would be 1.
		"a slow round": {goal{limit: 1}, []float64{1, 10, 100}, []float64{2, 20, 50}, 0.5, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.goal.scenario, test.goal.mode, test.goal.against, test.goal.figure = "s", steady, bare, cpu
			all := results{}
			for i := range test.ours {
				for target, value := range map[string]float64{gateway: test.ours[i], bare: test.theirs[i]} {
					key := measurement{"s", steady, target}
					all[key] = append(all[key], figures{cpu: value})
				}
			}
			ratios := test.goal.ratios(all)
			if ratio, met := benchmark.Median(ratios), test.goal.isMet(ratios); math.Abs(ratio-test.ratio) > 1e-9 || met != test.met {
				t.Errorf("%g, met %t", ratio, met)
			}
		})
	}
}

func TestGoalsWithoutFiguresAreSkipped(t *testing.T) {
	t.Parallel()
	for _, g := range goals {
		if g.ratios(results{}) != nil {
			t.Errorf("%s", g.what)
		}
	}
}

func TestTheReportNamesOneCoreInTheSingular(t *testing.T) {
	t.Parallel()
	r := report{cores: cores{gateway: "0-0", others: "1-3"}}
	const want = "the measured program on core 0; load, upstream, Redis, Postgres and tokens-svc on cores 1-3\n"
	if got := r.Markdown(); !strings.Contains(got, want) {
		t.Errorf("got %s, want a line %q", got, want)
	}
}

func TestWrongResponsesAreReported(t *testing.T) {
	t.Parallel()
	r := report{
		scenarios: []scenario{{key: "hot", title: "one hot token"}},
		results: results{
			{"hot", steady, gateway}:    {{}, {wrong: map[int]int{503: 2, 0: 1}}, {wrong: map[int]int{503: 1}}},
			{"hot", saturated, gateway}: {{}},
		},
	}
	got := r.wrongResponses()
	if len(got) != 2 || got[0] != "one hot token, steady, gateway: 1 × a broken connection" || got[1] != "one hot token, steady, gateway: 3 × status 503" {
		t.Errorf("%q", got)
	}
}
