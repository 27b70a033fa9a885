package benchmark

import (
	"errors"
	"math"
	"testing"
)

func TestMedian(t *testing.T) {
	t.Parallel()
	if odd, even := Median([]float64{3, 1, 2}), Median([]float64{4, 1, 2, 3}); odd != 2 || even != 2.5 || !math.IsNaN(Median(nil)) {
		t.Errorf("%g, %g, %g", odd, even, Median(nil))
	}
}

func TestAMissedGoalIsAnError(t *testing.T) {
	t.Parallel()
	if err := CheckGoals([]Goal{{Met: true}}); err != nil {
		t.Error(err)
	}
	if err := CheckGoals([]Goal{{Met: true}, {}}); !errors.Is(err, ErrMissed) {
		t.Error(err)
	}
}
