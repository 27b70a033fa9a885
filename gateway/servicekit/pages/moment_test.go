package pages

import (
	"testing"
	"time"
)

func TestWordsForTime(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 20, 12, 0, 0, 0, time.UTC)
	for ahead, want := range map[time.Duration]string{
		0: "just now", -59 * time.Second: "just now", -time.Minute: "1 minute ago", time.Minute: "in 1 minute",
		-119 * time.Minute: "119 minutes ago", -2 * time.Hour: "2 hours ago", -47 * time.Hour: "47 hours ago",
		-48 * time.Hour: "2 days ago", -59 * day: "59 days ago", -60 * day: "2 months ago", -800 * day: "2 years ago",
		10 * time.Second: "in less than a minute", 7*day - time.Second: "in 7 days", 90 * day: "in 3 months",
	} {
		if got := (Moment{At: now.Add(ahead), Now: now}).Relative(); got != want {
			t.Errorf("%s: %q, want %q", ahead, got, want)
		}
	}
}
