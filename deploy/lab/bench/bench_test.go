//go:build linux

package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// The ratio of medians would be 1.
func TestGoalsUseTheMedianOfRatiosWithinRounds(t *testing.T) {
	t.Parallel()
	series := func(all ...time.Duration) (list []figures) {
		for _, used := range all {
			list = append(list, figures{cpu: usage{"p": used}})
		}
		return list
	}
	c := comparison{
		settings: settings{rounds: 3},
		sides:    []side{{name: gateway}, {name: bare}},
		kinds:    []kind{{name: "k"}},
		goals:    []goal{{kind: "k", side: gateway, ofSide: bare, what: "CPU", figure: cpu, most: 0.6}},
		measured: map[string]map[string][]figures{"k": {gateway: series(1, 10, 100), bare: series(2, 20, 50)}},
	}
	for most, want := range map[float64]error{0.6: nil, 0.4: errMissed} {
		c.goals[0].most = most
		var out strings.Builder
		err := c.report(&out, "gateway", "today")
		if !errors.Is(err, want) || !strings.Contains(out.String(), "| 0.50 | 0.50 – 2.00 |") {
			t.Errorf("at most %g: %v\n%s", most, err, &out)
		}
	}
	if (goal{kind: "other", side: gateway, ofSide: bare, figure: cpu}).ratios(c.measured) != nil {
		t.Error("a goal without figures has ratios")
	}
}
