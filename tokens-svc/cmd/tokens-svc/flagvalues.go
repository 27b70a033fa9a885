package main

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
)

// day is the unit in which people count how long a token should last.
const day = 24 * time.Hour

// defaultLife is how long a token lasts when nothing is said: long enough to be
// of use, short enough that a forgotten one ends by itself.
const defaultLife = 90 * day

// expiryFlags adds the three ways to say how long a token lasts. After parsing,
// the function it returns reads the expiry, zero for none.
func expiryFlags(f flags, now time.Time) func() time.Time {
	end, said := now.Add(defaultLife), false
	say := func(t time.Time) error {
		if said {
			return errors.New("give only one of --expires-in, --expires-at and --no-expiry")
		}
		end, said = t, true
		return nil
	}
	f.Func("expires-in", "lifetime, a `duration` such as 90d or 12h; 90d by default", func(text string) error {
		d, err := parseDuration(text)
		if err != nil {
			return err
		}
		return say(now.Add(d))
	})
	f.Func("expires-at", "expiry, a `time` such as 2027-03-01T00:00:00Z", func(text string) error {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return errors.New("want a time such as 2027-03-01T00:00:00Z")
		}
		return say(t)
	})
	f.BoolFunc("no-expiry", "no expiry", func(text string) error {
		if yes, err := strconv.ParseBool(text); err != nil || !yes {
			return errors.New("it takes no value")
		}
		return say(time.Time{})
	})
	return func() time.Time { return end }
}

// parseDuration reads Go's durations and whole days, 90d.
func parseDuration(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if number, ok := strings.CutSuffix(text, "d"); ok {
		var days int
		days, err = strconv.Atoi(number)
		if days > math.MaxInt64/int(day) {
			err = strconv.ErrRange
		}
		d = time.Duration(days) * day
	}
	if err != nil || d <= 0 {
		return 0, errors.New("want a duration such as 90d, 12h or 30m")
	}
	return d, nil
}

// positive returns a flag's function that reads a whole number from 1 into n.
func positive(n *int) func(string) error {
	return func(text string) (err error) {
		if *n, err = strconv.Atoi(text); err != nil || *n < 1 {
			return errors.New("want a whole number from 1")
		}
		return nil
	}
}

// splitInto returns a flag's function that adds a list's entries to all.
func splitInto(all *[]string) func(string) error {
	return func(text string) error {
		for entry := range strings.SplitSeq(text, ",") {
			if entry = strings.TrimSpace(entry); entry != "" {
				*all = append(*all, entry)
			}
		}
		return nil
	}
}
