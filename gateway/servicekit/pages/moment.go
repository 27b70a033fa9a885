package pages

import (
	"fmt"
	"time"
)

// day is a day of people's plans, not of the calendar.
const day = 24 * time.Hour

// Moment is a time as seen from another, for templates.
type Moment struct{ At, Now time.Time }

// Known reports whether there is such a time.
func (m Moment) Known() bool { return !m.At.IsZero() }

// ISO is for programs.
func (m Moment) ISO() string { return m.At.UTC().Format("2006-01-02T15:04:05.000Z") }

// Full is exact.
func (m Moment) Full() string { return m.At.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// Minute is as exact as people plan.
func (m Moment) Minute() string { return m.At.UTC().Format("2 Jan 2006, 15:04 UTC") }

// Date is the day.
func (m Moment) Date() string { return m.At.UTC().Format("2 Jan 2006") }

// Relative formats a time relative to now.
func (m Moment) Relative() string {
	if m.At.After(m.Now) {
		return "in " + span(m.At.Sub(m.Now))
	}
	if past := m.Now.Sub(m.At); past >= time.Minute {
		return span(past) + " ago"
	}
	return "just now"
}

// span formats a duration in the largest unit of which there are two.
func span(d time.Duration) string {
	for _, unit := range []struct {
		length time.Duration
		name   string
	}{{365 * day, "years"}, {30 * day, "months"}, {day, "days"}, {time.Hour, "hours"}, {time.Minute, "minutes"}} {
		if d >= 2*unit.length {
			return fmt.Sprintf("%d %s", (d+unit.length/2)/unit.length, unit.name)
		}
	}
	if d >= time.Minute {
		return "1 minute"
	}
	return "less than a minute"
}
