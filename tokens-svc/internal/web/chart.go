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

func chartOf(u tokens.Usage) chart {
	c := chart{
		Width: len(u.Hours)*(barWidth+barGap) - barGap, Height: chartHeight, Bar: barWidth,
		Text: fmt.Sprintf("%s, %s in the last 24 hours", counted(u.Requests(), "request"), counted(u.Refused(), "refusal")),
	}
	most := int64(0)
	for _, h := range u.Hours {
		most = max(most, h.Requests+h.Refused)
	}
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
	for i, h := range u.Hours {
		b := bar{X: i * (barWidth + barGap), Height: height(h.Requests), RefusedHeight: height(h.Refused)}
		b.Y = chartHeight - b.Height
		b.RefusedY = b.Y - b.RefusedHeight
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
