// Package introspect validates tokens by token introspection (RFC 7662) with a cache that a change stream keeps
// current.
//
// Guarantees:
//
//   - A fault of the tokens service, whatever its kind, is [ErrUnavailable] and never "inactive". Faults are not
//     cached.
//   - A change ends the use of the token's result immediately, and a result in flight at that moment is not cached.
//     Another epoch of the change stream ends that of all: revisions may have been lost and used again.
//   - An active result is used for at most [StreamedLifetime] while the stream is fresh, [PositiveLifetime]
//     otherwise, and [UnconfirmedLifetime] while introspection fails (stale-if-error); never past the token's expiry.
//     An inactive one is used for at most [NegativeLifetime].
//   - A token that was active is known until an introspection says that it is not, however old its result is. While it
//     is used, its result is refreshed before it expires, at a moment that depends on the token.
//   - Concurrent introspections of one token are one request (singleflight), which no caller's cancellation ends.
//   - Introspections of tokens and of sessions do not wait for each other.
//   - Memory is bounded, and inactive results do not evict active ones.
//   - Tokens are held as their ids and SHA-256; no error and no state contains a token.
package introspect

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"net/url"
	"sync"
	"time"

	"github.com/maypok86/otter/v2"
	"golang.org/x/sync/singleflight"

	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
)

// Config configures an [Introspector].
type Config struct {
	// Introspection is the absolute URL of the introspection endpoint.
	Introspection *url.URL
	// Extended says that beside it are the change stream, "changes", and the introspection of sessions,
	// "sessions/introspect".
	Extended bool
	// ClientID and Credential authenticate by client_secret_basic; without a ClientID, the credential is a bearer token.
	ClientID, Credential string
	// Format is that of tokens.
	Format bearer.Format
	// Results are what responses may contain.
	Results Results
	// SessionCookies are the names of the cookies that have a session.
	SessionCookies []string
	// Timeout bounds one introspection. Default: [Timeout]
	Timeout time.Duration
	// Now is the clock for lifetimes.
	Now func() time.Time
	// Resolve looks up the addresses of a host. Default: that of net.DefaultResolver
	Resolve discovery.Resolver
	// OnStream receives the error that ended a connection to the stream, and nil with each heartbeat.
	OnStream func(error)
}

// Introspector validates tokens. It is safe for concurrent use. Create it with [New].
type Introspector struct {
	client   *client
	cache    *cache
	format   bearer.Format
	cookies  []string
	extended bool
	people   *otter.Cache[digest, struct{}] // cookies of active sessions
	follower *follower
	flight   singleflight.Group
	now      func() time.Time

	follow    sync.Once
	following sync.WaitGroup
	lifetime  context.Context
	end       context.CancelFunc
}

// New returns an Introspector. It connects with the first introspection.
func New(config Config) *Introspector {
	client, cache := newClient(config), newCache()
	i := &Introspector{
		client: client, cache: cache, format: config.Format, cookies: config.SessionCookies, extended: config.Extended,
		people: newPeople(),
		follower: &follower{
			open: client.changes, onStatus: config.OnStream, cache: cache, now: config.Now, format: &config.Format,
			revision: unknownRevision,
		},
		now: config.Now,
	}
	i.lifetime, i.end = context.WithCancel(context.Background())
	return i
}

// Cached returns the cached result for token, which must be well-formed, and whether it is usable without
// introspection. An unusable one was active when it was last introspected. Results are shared; do not change them.
func (i *Introspector) Cached(token string) (result *Result, usable bool) {
	digest := digestOf(token)
	result, usable, due := i.cache.get(i.idOf(token, digest), digest, i.now(), i.follower.state.Load())
	if due {
		i.refresh(token, digest)
	}
	return result, usable
}

// refresh introspects token in the background, unless its request could delay others.
func (i *Introspector) refresh(token string, digest digest) {
	if i.client.tokenSlots.mostlyFree() {
		i.flight.DoChan(string(digest[:]), func() (any, error) { return i.introspect(i.lifetime, token, digest) })
	}
}

// Introspect introspects token, which must be well-formed, and caches the result. Results are shared; do not change
// them. The error is ctx's or an [ErrUnavailable]; the latter comes with a stale result if one was confirmed within
// [UnconfirmedLifetime] and not changed since.
func (i *Introspector) Introspect(ctx context.Context, token string) (*Result, error) {
	i.startFollowing() //nolint:contextcheck // follows for as long as the gateway runs
	digest := digestOf(token)
	// The introspection does not end with the caller that started it: others wait for the same result.
	shared := context.WithoutCancel(ctx)
	outcome := i.flight.DoChan(string(digest[:]), func() (any, error) {
		// A previous flight may have ended since the caller looked into the cache.
		if result, usable := i.Cached(token); usable {
			return result, nil
		}
		return i.introspect(shared, token, digest)
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case shared := <-outcome:
		return shared.Val.(*Result), shared.Err
	}
}

func (i *Introspector) introspect(ctx context.Context, token string, digest digest) (*Result, error) {
	id, subject := i.idOf(token, digest), i.format.SubjectOf(token)
	for superseded := false; ; superseded = true {
		requestedAt := i.now()
		flight := i.cache.beginFlight(id)
		result, err := i.client.introspect(ctx, token)
		if err == nil && result.Active && subject != "" && result.TokenID != subject {
			err = fmt.Errorf("%w: the response is for another token", ErrUnavailable)
		}
		if err != nil {
			i.cache.endFlight(flight, digest, nil, requestedAt)
			return i.cache.extendStale(id, digest, i.now(), i.follower.state.Load()), err
		}
		if result.Active && result.expiredAt(i.now()) {
			result = Result{Reason: "expired"}
		}
		if result.Reason != "" { // the secret was right
			result.TokenID = subject
		}
		if result.Active && result.TokenID == "" {
			result.TokenID = hex.EncodeToString(digest[:12])
			result.Lineage = cmp.Or(result.Lineage, result.TokenID)
		}
		// A result that a change superseded is requested again. The second one, which is newer than the caller's
		// request, is returned but not cached.
		if i.cache.endFlight(flight, digest, &result, requestedAt) || superseded {
			return &result, nil
		}
	}
}

// startFollowing starts the change stream. Before the first introspection there is nothing to evict.
func (i *Introspector) startFollowing() {
	i.follow.Do(func() {
		i.client.endpoints.Start() // looking up the addresses
		if i.extended {
			i.following.Go(func() { i.follower.run(i.lifetime) })
		}
	})
}

// Follows reports whether there is a change stream.
func (i *Introspector) Follows() bool { return i.extended }

// LastHeartbeat returns the time of the stream's last heartbeat; zero if there was none.
func (i *Introspector) LastHeartbeat() time.Time {
	if state := i.follower.state.Load(); state != nil {
		return state.lastHeartbeat
	}
	return time.Time{}
}

// Probe reports whether tokens can be validated now. The error is an [ErrUnavailable].
func (i *Introspector) Probe(ctx context.Context) error {
	i.startFollowing() //nolint:contextcheck // follows for as long as the gateway runs
	_, err := i.client.introspect(ctx, probe)
	return err
}

// Reached reports whether any introspection had a usable response.
func (i *Introspector) Reached() bool { return i.client.reached.Load() }

// Close stops the Introspector and frees its resources.
func (i *Introspector) Close() {
	i.end()
	i.following.Wait()
	i.client.close()
	i.cache.close()
	i.people.StopAllGoroutines()
}
