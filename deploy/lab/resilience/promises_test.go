package main

import (
	"slices"
	"testing"
	"time"
)

// at is a moment of the observation: the fault begins at 2 s and ends at 6 s.
func at(seconds float64) time.Time {
	return time.Unix(1_800_000_000, 0).Add(time.Duration(seconds * float64(time.Second)))
}

func got(kind string, start float64, status int) sample {
	const took = 3 * time.Millisecond
	return sample{kind: kind, start: at(start), status: status, took: took, explained: true, retryAfter: true}
}

func with(s sample, change func(*sample)) sample {
	change(&s)
	return s
}

func TestPromises(t *testing.T) {
	t.Parallel()
	slow := func(s *sample) { s.took = 3 * time.Second }
	lost := func(s *sample) { s.status, s.err = 0, "EOF" }
	windowOf := func(passed int) []sample { return slices.Repeat([]sample{got(kindLimited, 3, 200)}, passed) }
	created := func(stored int) observation {
		return observation{samples: []sample{got(kindCreate, 3, 201)}, stored: map[string]int{"": stored}}
	}
	of := func(samples ...sample) observation { return observation{samples: samples} }
	for name, c := range map[string]struct {
		promise promise
		kept    bool
		seen    observation
	}{
		"a request of over 2 s":        {everywhere[0], false, of(with(got(kindList, 3, 200), slow))},
		"a problem":                    {everywhere[1], true, of(got(kindList, 3, 503))},
		"no answer":                    {everywhere[1], false, of(with(got(kindList, 3, 0), lost))},
		"an unknown token is accepted": {everywhere[2], false, of(got(kindUnknown, 3, 200))},
		"an unknown token is refused":  {everywhere[2], true, of(got(kindUnknown, 3, 401), got(kindUnknown, 3, 503))},
		"401 for a good token":         {everywhere[3], false, of(got(kindFresh, 3, 401))},
		"a window":                     {everywhere[4], true, of(windowOf(5)...)},
		"one too many":                 {everywhere[4], false, of(windowOf(6)...)},
		"two windows without Redis": {
			everywhere[4], true, observation{fault: fault{redis: true}, samples: windowOf(10)},
		},
		"a write":              {everywhere[5], true, created(1)},
		"a lost write":         {everywhere[5], false, created(0)},
		"a write stored twice": {everywhere[5], false, created(2)},
		"back after 5 s":       {everywhere[6], true, of(got(kindList, 11, 503), got(kindList, 12, 200))},
		"back later":           {everywhere[6], false, of(got(kindList, 11.1, 503), got(kindList, 12, 200))},
		"no load":              {everywhere[6], false, of()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := c.seen
			o.began, o.removed = at(2), at(6)
			if kept, seen := c.promise.kept(&o); kept != c.kept || seen == "" {
				t.Errorf("%s: kept is %t (%s)", c.promise.text, kept, seen)
			}
		})
	}
}
