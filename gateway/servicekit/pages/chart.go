package pages

// Chart shows counts in columns, each of which has a part for each series, and as a table to screen readers. The
// template "chart" draws it.
type Chart struct {
	Caption string
	Heading string   // of the labels: "Week from"
	Series  []string // names of the parts, the lowest first; at most six
	Columns []Column
}

// Column is a column of a Chart. Its Values are those of the series.
type Column struct {
	Label  string
	Values []int64
}

// Bar is a part of a column, in the units of the drawing: a column is 10 wide, and at most 100 high.
type Bar struct {
	Series, X, Y, Height int
}

// Highest is the sum of the highest column.
func (c Chart) Highest() (highest int64) {
	for _, column := range c.Columns {
		highest = max(highest, column.sum())
	}
	return highest
}

// Ends are the labels of the first and the last column.
func (c Chart) Ends() []string {
	if len(c.Columns) == 0 {
		return nil
	}
	return []string{c.Columns[0].Label, c.Columns[len(c.Columns)-1].Label}
}

// Totals are the sums of the series.
func (c Chart) Totals() []int64 {
	totals := make([]int64, len(c.Series))
	for _, column := range c.Columns {
		for i, n := range column.Values {
			totals[i] += n
		}
	}
	return totals
}

// Width is that of the drawing.
func (c Chart) Width() int { return 10 * len(c.Columns) }

// Bars are the parts that are drawn: one that is not zero is seen, and few are low.
func (c Chart) Bars() (bars []Bar) {
	unit := float64(100-2*len(c.Series)) / float64(max(5, c.Highest()))
	for x, column := range c.Columns {
		top := 100
		for i, n := range column.Values {
			if height := 2 + int(float64(n)*unit); n > 0 {
				top -= height
				bars = append(bars, Bar{Series: i, X: 10*x + 1, Y: top, Height: height})
			}
		}
	}
	return bars
}

func (c Column) sum() (sum int64) {
	for _, n := range c.Values {
		sum += n
	}
	return sum
}
