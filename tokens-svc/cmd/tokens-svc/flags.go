package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// orgID is an organization's id.
type orgID tokens.OrgID

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *orgID) UnmarshalText(text []byte) error {
	if _, ok := publicid.Parse("org", string(text)); !ok || !strings.HasPrefix(string(text), "org_0") {
		return fmt.Errorf("%q is no organization's id: it has org_0 and 25 characters, as org create prints it", text)
	}
	*o = orgID(text)
	return nil
}

// tokenID is a token's id.
type tokenID tokens.TokenID

// UnmarshalText implements encoding.TextUnmarshaler.
func (id *tokenID) UnmarshalText(text []byte) error {
	if !tokens.TokenID(text).Valid() {
		return fmt.Errorf("%q is no token's id: it has tok_ and 12 characters, as token list prints it", text)
	}
	*id = tokenID(text)
	return nil
}

// settings are the mutable settings of a token, apart from its name.
type settings struct {
	Permissions   list     `placeholder:"LIST" help:"Permissions, separated by commas."`
	IPAllow       list     `name:"ip-allow" placeholder:"LIST" help:"Allowed addresses and CIDR ranges; empty for any."`
	Limit         positive `placeholder:"N" help:"Requests per window, 100 by default."`
	WindowSeconds positive `placeholder:"N" help:"Length of the window in seconds, 60 by default."`

	ExpiresIn duration  `xor:"expiry" help:"Lifetime, such as 90d or 12h; 90d by default."`
	ExpiresAt time.Time `xor:"expiry" placeholder:"TIME" help:"Expiry, such as 2027-03-01T00:00:00Z."`
	NoExpiry  bool      `xor:"expiry" help:"No expiry."`
}

// defaultLifetime is the lifetime of a token unless one is given.
const defaultLifetime = 90 * day

// expiry returns the expiry, zero for none, and whether one is given.
func (s settings) expiry(now time.Time) (end time.Time, given bool) {
	switch {
	case s.NoExpiry:
		return time.Time{}, true
	case !s.ExpiresAt.IsZero():
		return s.ExpiresAt, true
	case s.ExpiresIn > 0:
		return now.Add(time.Duration(s.ExpiresIn)), true
	}
	return now.Add(defaultLifetime), false
}

func (s settings) rateLimit() tokens.RateLimit {
	return tokens.RateLimit{Limit: int(s.Limit), Window: time.Duration(s.WindowSeconds) * time.Second}
}

const day = 24 * time.Hour

// duration is one of Go's durations, or whole days such as 90d.
type duration time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *duration) UnmarshalText(text []byte) error {
	value, err := time.ParseDuration(string(text))
	if number, ok := strings.CutSuffix(string(text), "d"); ok {
		var days int
		days, err = strconv.Atoi(number)
		if days > math.MaxInt64/int(day) {
			err = strconv.ErrRange
		}
		value = time.Duration(days) * day
	}
	if err != nil || value <= 0 {
		return errors.New("want a duration of less than 292 years, such as 90d, 12h or 30m")
	}
	*d = duration(value)
	return nil
}

// positive is a whole number from 1.
type positive int

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *positive) UnmarshalText(text []byte) error {
	value, err := strconv.Atoi(string(text))
	if err != nil || value < 1 {
		return errors.New("want a whole number from 1")
	}
	*n = positive(value)
	return nil
}

// list has entries separated by commas. It is nil if it was not given.
type list []string

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *list) UnmarshalText(text []byte) error { //nolint:unparam // the interface returns an error
	*l = list{}
	for entry := range strings.SplitSeq(string(text), ",") {
		if entry = strings.TrimSpace(entry); entry != "" {
			*l = append(*l, entry)
		}
	}
	return nil
}
