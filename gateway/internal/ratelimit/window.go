package ratelimit

import (
	"hash/crc32"
	"strconv"
	"time"
)

// Window says which requests are counted together: those of one ID, of which at most Limit are allowed in each Length.
type Window struct {
	// Policy is the name of the kind of window.
	Policy string
	// ID is unique among the IDs of all policies: it has no colon, or begins with its kind and one.
	ID string
	// Limit is the number of requests, at least 1.
	Limit int
	// Length is in whole seconds, at least 1 s.
	Length time.Duration
	// Local windows are counted by this gateway alone, without Redis.
	Local bool
}

// Of returns w for an ID.
func (w Window) Of(id string) Window {
	w.ID = id
	return w
}

// end returns the end of the window at now. Windows of one length follow each other without a gap, offset by a number
// of whole seconds that depends only on the ID: all gateways agree on it.
func (w Window) end(now time.Time) time.Time {
	offset := int64(crc32.ChecksumIEEE([]byte(w.ID))) % w.seconds()
	number := (now.Unix() - offset) / w.seconds()
	return time.Unix((number+1)*w.seconds()+offset, 0)
}

func (w Window) seconds() int64 { return int64(w.Length / time.Second) }

// redisPrefix is what redis_rate puts before every key.
const redisPrefix = "rate:"

// key returns the name in Redis, without redisPrefix, of the window with that end. It contains the length, so that a
// token whose length changes does not continue an old count.
func (w Window) key(end time.Time) string {
	seconds := w.seconds()
	return w.ID + ":" + strconv.FormatInt(seconds, 10) + ":" + strconv.FormatInt(end.Unix()/seconds-1, 10)
}

// Source is where a request was decided.
type Source string

const (
	// Redis is the shared window in Redis.
	Redis Source = "redis"
	// Memory is this gateway, where the window is known to be empty.
	Memory Source = "memory"
	// Local is a window of this gateway alone: a Local one, or the local fallback.
	Local Source = "local"
	// None means that the request was not decided, because of an error or because its context ended.
	None Source = "none"
)

// State is the state of a window after a [Limiter.Take] or [Limiter.Peek].
type State struct {
	Window

	// Allowed reports whether the request is allowed; after a Peek, whether a request would be.
	Allowed bool
	// Remaining is the number of requests left in the window, never negative.
	Remaining int
	// Reset is when the next window begins, a whole second of Redis's clock.
	Reset time.Time
	// Now is Redis's time at the call, as estimated by the gateway.
	Now time.Time
	// Source is where the request was decided.
	Source Source
}

// SecondsLeft is the time until the window resets, rounded up so that waiting so long is enough, and at least 1.
func (s State) SecondsLeft() int {
	left := s.Reset.Sub(s.Now)
	return max(int((left+time.Second-1)/time.Second), 1)
}
