//go:build linux

package main

import (
	"errors"
	"strings"
	"testing"
)

// The ratio of medians would be 1.
func TestGoalsUseTheMedianOfRatiosWithinRounds(t *testing.T) {
	t.Parallel()
	of := func(ours, other float64) [2]figures { return [2]figures{{cpu: ours}, {cpu: other}} }
	k := kind{name: "k", rounds: [][2]figures{of(1, 2), of(10, 20), of(100, 50)}}
	for most, want := range map[float64]error{0.6: nil, 0.4: errMissed} {
		k.cpu = most
		var out strings.Builder
		err := report(&out, "today", []kind{k})
		if !errors.Is(err, want) || !strings.Contains(out.String(), "| 0.50 | 0.50 – 2.00 |") {
			t.Errorf("at most %g: %v\n%s", most, err, &out)
		}
	}
}
