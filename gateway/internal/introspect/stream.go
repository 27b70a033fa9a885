package introspect

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

// heartbeatTimeout is how old the last heartbeat may be for the stream to be fresh; the tokens service sends one
// every second. Without one for longer, the follower reconnects.
const heartbeatTimeout = 3 * time.Second

// maxLineBytes bounds a line of the stream; a change has about 70 bytes.
const maxLineBytes = 4 << 10

// The backoff between two connections doubles with each failure, with jitter.
const (
	minBackoff = 100 * time.Millisecond
	maxBackoff = 5 * time.Second
)

var errNoHeartbeat = errors.New("no heartbeat")

// streamState is the freshness of the stream.
type streamState struct {
	// since is the first heartbeat since which no change was missed. Results requested earlier may have changed
	// unnoticed.
	since time.Time
	// lastHeartbeat is the time of the last heartbeat.
	lastHeartbeat time.Time
}

// fresh reports whether all changes are known at now. A nil state is not fresh.
func (h *streamState) fresh(now time.Time) bool {
	return h != nil && now.Sub(h.lastHeartbeat) <= heartbeatTimeout
}

// lifetime returns how long an active result requested at that time may be used.
func (h *streamState) lifetime(requestedAt, now time.Time) time.Duration {
	if h.fresh(now) && !requestedAt.Before(h.since) {
		return StreamedLifetime
	}
	return PositiveLifetime
}

// confirmedAt returns when an active result requested at that time was last confirmed: by a heartbeat within its
// StreamedLifetime, or by the request itself.
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

// unknownRevision makes the stream begin with the present revision.
const unknownRevision int64 = -1

// follower evicts changed tokens from the cache. It misses no change between two connections, because each continues
// after the last revision.
type follower struct {
	// open connects and requests the changes after a revision, or from the present one on.
	open func(ctx context.Context, after int64) (io.ReadCloser, error)
	// onStatus receives the error that ended a connection, and nil with each heartbeat.
	onStatus func(error)
	cache    *cache
	now      func() time.Time
	format   *bearer.Format

	state    atomic.Pointer[streamState]
	revision int64  // the newest applied to the cache, or unknownRevision
	epoch    string // of revision; empty: unknown
}

// run follows the stream until ctx ends.
func (f *follower) run(ctx context.Context) {
	for backoff := minBackoff; ; backoff = min(2*backoff, maxBackoff) {
		before := f.state.Load()
		err := f.follow(ctx)
		if ctx.Err() != nil {
			return
		}
		f.onStatus(err)
		if f.state.Load() != before { // there was a heartbeat
			backoff = minBackoff
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(backoff/2 + rand.N(backoff/2)): // #nosec G404 -- jitter, not secrecy
		}
	}
}

// follow reads one connection to its end, which is always an error.
func (f *follower) follow(ctx context.Context) error {
	if state := f.state.Load(); state != nil && f.now().Sub(state.lastHeartbeat) > StreamedLifetime {
		// No result confirmed by then is usable any more, so there is no need to read the missed changes.
		f.revision = unknownRevision
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	silence := time.AfterFunc(heartbeatTimeout, func() { cancel(errNoHeartbeat) })
	defer silence.Stop()

	stream, err := f.open(ctx, f.revision)
	if err != nil {
		return withCause(ctx, err)
	}
	// ends a blocked read
	context.AfterFunc(ctx, func() { _ = stream.Close() })

	lines := bufio.NewScanner(stream)
	lines.Buffer(make([]byte, 0, 512), maxLineBytes)
	for lines.Scan() {
		next, err := parseChange(lines.Bytes(), f.format)
		if err != nil {
			return err
		}
		f.apply(next)
		if next.heartbeat {
			f.onStatus(nil)
			silence.Reset(heartbeatTimeout)
		}
	}
	if err := lines.Err(); err != nil {
		return withCause(ctx, err)
	}
	return io.ErrUnexpectedEOF
}

// withCause returns err with what ended ctx, if that caused it.
func withCause(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return fmt.Errorf("%w: %w", cause, err)
	}
	return err
}

// apply applies one line to the cache. Revisions are consecutive, and a heartbeat repeats the last one. A gap or a
// lower revision clears the cache, and so does another epoch: the database was restored or a replica was promoted, and
// revisions may have been used again for other changes.
func (f *follower) apply(next change) {
	first := f.revision == unknownRevision
	otherEpoch := f.epoch != "" && next.epoch != "" && next.epoch != f.epoch
	switch {
	case otherEpoch,
		next.heartbeat && !first && next.revision != f.revision,
		!next.heartbeat && !first && next.revision > f.revision+1:
		f.cache.clear()
	case !next.heartbeat:
		f.cache.evict(next.token, next.revision)
	}
	f.epoch = cmp.Or(next.epoch, f.epoch)
	if !next.heartbeat {
		switch {
		case first:
		case otherEpoch:
			f.revision = next.revision
		default:
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

// change is one line of the change stream: a changed token or, without a token, a heartbeat with the newest revision.
type change struct {
	revision int64
	// epoch identifies the history in which revisions are unique; empty: the tokens service sends none.
	epoch     string
	token     tokenID
	heartbeat bool
}

// parseChange parses one line. The kind of change is irrelevant: the token's result is evicted. Errors do not quote
// it.
func parseChange(line []byte, format *bearer.Format) (change, error) {
	var wire struct {
		Revision *int64  `json:"rev"`
		Token    *string `json:"token"`
		Epoch    string  `json:"epoch"`
	}
	if err := json.Unmarshal(line, &wire); err != nil {
		return change{}, errors.New("a line of the stream is not JSON")
	}
	switch {
	case wire.Revision == nil || *wire.Revision < 0:
		return change{}, errors.New("a line of the stream has no revision")
	case wire.Token == nil:
		return change{revision: *wire.Revision, epoch: wire.Epoch, heartbeat: true}, nil
	}
	id, ok := format.IDOf(*wire.Token)
	if !ok {
		return change{}, fmt.Errorf("revision %d in the stream has an invalid token", *wire.Revision)
	}
	c := change{revision: *wire.Revision, epoch: wire.Epoch}
	copy(c.token[:], id)
	return c, nil
}
