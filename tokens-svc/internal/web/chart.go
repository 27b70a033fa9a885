package web

import (
	"fmt"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The size of a chart, in the units of its viewBox.
const (
	chartHeight = 24
	barWidth    = 4
	barGap      = 1
)

// bar is one hour in a chart: let through below, refused on top.
type bar struct{ X, Y, Height, RefusedY, RefusedHeight int }

// chart shows the last 24 hours of a token.
type chart struct {
	Width, Height, Bar int
	Bars               []bar
	Text               string // the same in words
}

func chartOf(hours []tokens.Hour) chart {
	c := chart{Width: len(hours)*(barWidth+barGap) - barGap, Height: chartHeight, Bar: barWidth}
	var most, requests, refused int64
	for _, h := range hours {
		most = max(most, h.Requests+h.Refused)
		requests, refused = requests+h.Requests, refused+h.Refused
	}
	c.Text = fmt.Sprintf("%s, %s in the last 24 hours", counted(requests, "request"), counted(refused, "refusal"))
	if most == 0 {
		return c
	}
	// height is at least 1 for any count above 0.
	height := func(n int64) int {
		if n == 0 {
			return 0
		}
		return max(1, int(n*chartHeight/most))
	}
	for i, h := range hours {
		b := bar{X: i * (barWidth + barGap), Height: height(h.Requests), RefusedHeight: height(h.Refused)}
		b.Y = chartHeight - b.Height
		b.RefusedY = max(0, b.Y-b.RefusedHeight)
		c.Bars = append(c.Bars, b)
	}
	return c
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
