package web

import (
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// day is a day of people's plans, not of the calendar.
const day = 24 * time.Hour

// moment is a time as seen from another.
type moment struct{ At, now time.Time }

// Known reports whether there is such a time.
func (m moment) Known() bool { return !m.At.IsZero() }

// ISO is for programs.
func (m moment) ISO() string { return m.At.UTC().Format("2006-01-02T15:04:05.000Z") }

// Full is exact.
func (m moment) Full() string { return m.At.UTC().Format("2 Jan 2006, 15:04:05 UTC") }

// Minute is as exact as people plan.
func (m moment) Minute() string { return m.At.UTC().Format("2 Jan 2006, 15:04 UTC") }

// Date is the day.
func (m moment) Date() string { return m.At.UTC().Format("2 Jan 2006") }

// Relative formats a time relative to now.
func (m moment) Relative() string {
	if m.At.After(m.now) {
		return "in " + span(m.At.Sub(m.now))
	}
	if past := m.now.Sub(m.At); past >= time.Minute {
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

// state is how a token is, in words.
type state struct {
	Kind string // active, expiring, expired or revoked: also the filter's name
	Word string
	More string // when, perhaps why; may be empty
}

func stateOf(t tokens.Token, now time.Time) state {
	end := moment{t.ExpiresAt, now}
	switch t.Status(now) {
	case tokens.StatusRevoked:
		more := moment{t.RevokedAt, now}.Relative()
		if t.RevokedReason != "" {
			more += ": " + t.RevokedReason
		}
		return state{"revoked", "Revoked", more}
	case tokens.StatusExpired:
		if t.RotatedTo != "" {
			return state{"expired", "Replaced", end.Relative()}
		}
		return state{"expired", "Expired", end.Relative()}
	case tokens.StatusActive:
	}
	switch {
	case t.RotatedTo != "":
		return state{"expiring", "Being replaced", "valid until " + end.Minute()}
	case t.Expiring(now):
		return state{"expiring", "Expires " + end.Relative(), ""}
	}
	return state{"active", "Active", ""}
}
