package benchmark

import (
	"math"
	"slices"
)

// Goal is a bound and whether it was met.
type Goal struct {
	Title, Limit, Measured string
	Met                    bool
}

// WriteGoals writes a table of goals by say, which writes a line.
func WriteGoals(say func(format string, args ...any), goals []Goal) {
	say("| figure | goal | measured | |\n|---|---|---|---|")
	for _, g := range goals {
		verdict := "met"
		if !g.Met {
			verdict = "**missed**"
		}
		say("| %s | %s | %s | %s |", g.Title, g.Limit, g.Measured, verdict)
	}
}

// CheckGoals returns ErrMissed if a goal was missed.
func CheckGoals(goals []Goal) error {
	if slices.ContainsFunc(goals, func(g Goal) bool { return !g.Met }) {
		return ErrMissed
	}
	return nil
}

// Median returns the median, NaN of no values.
func Median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// MedianOf returns the median of a figure of all measurements.
func MedianOf[M any](measurements []M, figure func(M) float64) float64 {
	values := make([]float64, len(measurements))
	for i, m := range measurements {
		values[i] = figure(m)
	}
	return Median(values)
}
