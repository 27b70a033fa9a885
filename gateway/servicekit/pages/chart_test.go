package pages

import "testing"

// TestEveryPartOfAChartIsSeen, however high the others of its column are.
func TestEveryPartOfAChartIsSeen(t *testing.T) {
	t.Parallel()
	c := Chart{Series: make([]string, 6), Columns: []Column{{Values: []int64{1_000_000, 1, 1, 1, 1, 1}}}}
	bars := c.Bars()
	if len(bars) != 6 {
		t.Fatalf("%d parts, want 6", len(bars))
	}
	for _, bar := range bars {
		if bar.Y < 0 || bar.Height < 2 {
			t.Errorf("a part is outside of the drawing: %+v", bar)
		}
	}
}
