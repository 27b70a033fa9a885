// Package introspect knows whether a token is active and what it may do.
//
// It asks the tokens service by RFC 7662, remembers the answers for a time, and follows the tokens service's
// stream of changes to forget them sooner. Its guarantees:
//
//   - A fault of the tokens service, whatever its kind, is [ErrUnavailable] and never "inactive".
//   - A change that is heard of ends the answer it is about at once, and no answer that was on its way at
//     that moment brings back what was before.
//   - An active answer is used for at most [FollowedLifetime] while changes are heard of,
//     [PositiveLifetime] while they are not, [UnconfirmedLifetime] since the tokens service last confirmed it
//     while that cannot be asked, and never at or past the token's end; an inactive one for at most [NegativeLifetime]. Faults are not
//     remembered.
//   - Many requests with one unknown token cause one question, and no caller's hanging up fails another.
//   - Memory is bounded, and inactive answers cannot push active ones out.
//   - Tokens are known here by their ids and SHA-256 only; no error and no state holds a token's text.
package introspect

import (
	"context"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"
)

// Config is what an [Introspector] needs.
type Config struct {
	// Introspection is the absolute URL of the tokens service's RFC 7662 endpoint.
	Introspection string
	// Changes is the absolute URL of its stream of changes.
	Changes string
	// Credential is presented at both as a bearer token.
	Credential string
	// Now is the clock that answers age by.
	Now func() time.Time
	// Stream is told why a connection to the stream ended, and with nil, each second, that one works.
	OnStream func(error)
}

// Introspector answers for tokens. It is safe for concurrent use; make it with [New].
type Introspector struct {
	client   *client
	cache    *cache
	follower *follower
	flight   singleflight.Group
	now      func() time.Time

	follow    sync.Once
	following sync.WaitGroup
	lifetime  context.Context
	end       context.CancelFunc
}

// New returns an Introspector. It does not connect before it is asked something.
func New(config Config) *Introspector {
	client, cache := newClient(config), newCache()
	i := &Introspector{
		client:   client,
		cache:    cache,
		follower: &follower{open: client.changes, onStatus: config.OnStream, cache: cache, now: config.Now, revision: unknownRevision},
		now:      config.Now,
	}
	i.lifetime, i.end = context.WithCancel(context.Background())
	return i
}

// Cached returns the remembered answer for token, a well-formed one, and whether it may be used as it is.
// An answer that may not is that of a token which was active less than [UnconfirmedLifetime] ago. Answers
// are shared and must not be changed.
func (i *Introspector) Cached(token string) (result *Result, usable bool) {
	return i.cache.get(idOf(token), digestOf(token), i.now(), i.follower.state.Load())
}

// Ask asks the tokens service for token, a well-formed one, and remembers the answer, which is shared and
// must not be changed. The error is ctx's or an [ErrUnavailable]; with the latter there is still an answer
// if one was confirmed less than [UnconfirmedLifetime] ago and no change of the token was heard of. Who asks
// again for such a token, while the tokens service stays away, does not wait.
func (i *Introspector) Introspect(ctx context.Context, token string) (*Result, error) {
	i.startFollowing()
	digest := digestOf(token)
	// The question outlives the caller that happened to ask it first: others wait for the same answer.
	shared := context.WithoutCancel(ctx)
	outcome := i.flight.DoChan(string(digest[:]), func() (any, error) { return i.introspect(shared, token, digest) })
	if result := i.cache.staleIfError(idOf(token), digest, i.now(), i.follower.state.Load()); result != nil {
		return result, errStale
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case shared := <-outcome:
		return shared.Val.(*Result), shared.Err
	}
}

func (i *Introspector) introspect(ctx context.Context, token string, digest digest) (*Result, error) {
	// An earlier flight may have landed between the caller's look into the cache and now.
	if result, usable := i.Cached(token); usable {
		return result, nil
	}
	id := idOf(token)
	for superseded := false; ; superseded = true {
		requestedAt := i.now()
		flight := i.cache.beginFlight(id)
		result, err := i.client.introspect(ctx, token)
		if err == nil && result.Active && result.TokenID != id.publicID() {
			err = fmt.Errorf("%w: it answered for another token", ErrUnavailable)
		}
		if err != nil {
			i.cache.endFlight(flight, digest, nil, requestedAt)
			return i.cache.extendStale(id, digest, i.now(), i.follower.state.Load()), err
		}
		if result.Active && result.expiredAt(i.now()) {
			result = Result{Reason: "expired"}
		}
		// What changed while it was asked for is asked for again. A second time the answer, which was true
		// after the question came, is good for the question and for no other.
		if i.cache.endFlight(flight, digest, &result, requestedAt) || superseded {
			return &result, nil
		}
	}
}

// startFollowing begins to follow the changes. There is nothing to forget before the first question.
func (i *Introspector) startFollowing() {
	i.follow.Do(func() {
		i.following.Go(func() { i.follower.run(i.lifetime) })
	})
}

// Heard returns when the last heartbeat of the stream of changes came; zero if none has.
func (i *Introspector) LastHeartbeat() time.Time {
	if state := i.follower.state.Load(); state != nil {
		return state.lastHeartbeat
	}
	return time.Time{}
}

// Probe reports with nil that tokens can be checked now: the tokens service answers and accepts the
// gateway's credential. The error is an [ErrUnavailable].
func (i *Introspector) Probe(ctx context.Context) error {
	i.startFollowing()
	_, err := i.client.introspect(ctx, probe)
	return err
}

// Reached reports whether the tokens service has ever given a usable answer.
func (i *Introspector) Reached() bool { return i.client.reached.Load() }

// Close frees what the Introspector holds. It must not be used afterwards.
func (i *Introspector) Close() {
	i.end()
	i.following.Wait()
	i.client.http.CloseIdleConnections()
	i.cache.close()
}
