package introspect

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"
)

// HeartbeatTimeout is how old a heartbeat may be for the stream to count as heard; the tokens service sends
// one every second. A stream that is silent for longer is given up.
const HeartbeatTimeout = 3 * time.Second

// maxLineBytes bounds a line of the stream; a change needs some 70 bytes.
const maxLineBytes = 4 << 10

// The pauses between two connections: about doubled with each failure, and never the same for two gateways.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

var errNoHeartbeat = errors.New("no heartbeat")

// hearing is what the follower knows of its own knowledge.
type streamState struct {
	// since is when the first heartbeat of an unbroken account of changes came: an answer that was asked for
	// earlier may have changed unheard.
	since time.Time
	// last is when the last heartbeat came.
	lastHeartbeat time.Time
}

// current reports whether every change is heard of at now. A nil hearing never is.
func (h *streamState) fresh(now time.Time) bool {
	return h != nil && now.Sub(h.lastHeartbeat) <= HeartbeatTimeout
}

// lifetime returns how long an active answer may be used that was asked for at that time.
func (h *streamState) lifetime(requestedAt, now time.Time) time.Duration {
	if h.fresh(now) && !requestedAt.Before(h.since) {
		return StreamedLifetime
	}
	return PositiveLifetime
}

// confirmed returns when an active answer that was asked for at that time was last known to be true. Each
// heartbeat says so of every answer that is followed, for as long as it is used without asking.
func (h *streamState) confirmedAt(requestedAt time.Time) time.Time {
	switch last := requestedAt.Add(StreamedLifetime); {
	case h == nil || requestedAt.Before(h.since) || h.lastHeartbeat.Before(requestedAt):
		return requestedAt
	case h.lastHeartbeat.Before(last):
		return h.lastHeartbeat
	default:
		return last
	}
}

// unknown is the revision of a follower that has to begin with the present one.
const unknownRevision int64 = -1

// follower keeps the cache in step with the tokens service's changes. Its account of them is unbroken from
// one connection to the next, because each asks for what came after the last revision.
type follower struct {
	// open connects and asks for the changes after a revision, or from the present one on.
	open func(ctx context.Context, after int64) (io.ReadCloser, error)
	// told is told how a connection ended, and with nil that one works.
	onStatus func(error)
	cache    *cache
	now      func() time.Time

	state    atomic.Pointer[streamState]
	revision int64 // the newest that the cache agrees with, or unknown
}

// run follows until ctx ends.
func (f *follower) run(ctx context.Context) {
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		before := f.state.Load()
		err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		f.onStatus(err)
		if f.state.Load() != before { // it worked for a while
			backoff = minBackoff
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(backoff/2 + rand.N(backoff/2)): // #nosec G404 -- spreading, not secrecy
		}
	}
}

// follow reads one connection to its end, which is always an error.
func (f *follower) follow(ctx context.Context) error {
	if state := f.state.Load(); state != nil && f.now().Sub(state.lastHeartbeat) > StreamedLifetime {
		// Nothing that was confirmed by then is used any more. To be told of all that changed since is of no use.
		f.revision = unknownRevision
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(HeartbeatTimeout, func() { cancel(errNoHeartbeat) })
	defer silence.Stop()

	stream, err := f.open(ctx, f.revision)
	if err != nil {
		return withCause(ctx, err)
	}
	// Whatever the reader is waiting for, it waits no longer than the context lasts.
	context.AfterFunc(ctx, func() { _ = stream.Close() })

	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 512), maxLineBytes)
	for lines.Scan() {
		next, err := parseChange(lines.Bytes())
		if err != nil {
			return err
		}
		f.apply(next)
		if next.heartbeat {
			f.onStatus(nil)
			silence.Reset(HeartbeatTimeout)
		}
	}
	if err := lines.Err(); err != nil {
		return withCause(ctx, err)
	}
	return io.ErrUnexpectedEOF
}

// because returns err, or what ended ctx and thereby caused it.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// apply brings the cache to the revision that next tells. Revisions follow each other without a gap, and a
// heartbeat repeats the last one. Where they do not, changes went unheard, or the tokens service has been
// set back to an earlier state: then nothing remembered can be relied on.
func (f *follower) apply(next change) {
	first := f.revision == unknownRevision
	switch {
	case next.heartbeat && !first && next.revision != f.revision,
		!next.heartbeat && !first && next.revision > f.revision+1:
		f.cache.clear()
	case !next.heartbeat:
		f.cache.evict(next.token, next.revision)
	}
	if !next.heartbeat {
		if !first {
			f.revision = max(f.revision, next.revision)
		}
		return
	}
	f.revision = next.revision
	state := &streamState{lastHeartbeat: f.now()}
	if state.since = state.lastHeartbeat; !first {
		state.since = f.state.Load().since
	}
	f.state.Store(state)
}
