package web

import (
	"fmt"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/pages"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func roleName(r tokens.Role) string { return words(string(r)) }

// day is a day of people's plans, not of the calendar.
const day = 24 * time.Hour

// moment is a time as seen from another.
type moment = pages.Moment

// words returns an identifier such as token.created in words.
func words(name string) string {
	text := strings.NewReplacer(".", " ", "_", " ").Replace(name)
	return strings.ToUpper(text[:1]) + text[1:]
}

func counted(n int64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// state is how a token is, in words.
type state struct {
	Kind string // active, expiring, expired or revoked: also the filter's name
	Word string
	More string // when, perhaps why; may be empty
}

func stateOf(t tokens.Token, now time.Time) state {
	end := moment{At: t.ExpiresAt, Now: now}
	switch t.Status(now) {
	case tokens.StatusRevoked:
		more := moment{At: t.RevokedAt, Now: now}.Relative()
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
