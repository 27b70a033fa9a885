// Package introspect knows whether a token is active and what it may do.
//
// It asks the tokens service by RFC 7662 and remembers the answers for a short time. Its guarantees:
//
//   - A fault of the tokens service, whatever its kind, is [ErrUnavailable] and never "inactive".
//   - An active answer is used for at most [PositiveLifetime] and never at or past the token's end; an
//     inactive one for at most [NegativeLifetime]. Faults are not remembered.
//   - Many requests with one unknown token cause one question, and no caller's hanging up fails another.
//   - Memory is bounded, and inactive answers cannot push active ones out.
//   - Tokens are known here by their SHA-256 only; no error and no state holds a token's text.
package introspect

import (
	"context"
	"time"

	"golang.org/x/sync/singleflight"
)

// Introspector answers for tokens. It is safe for concurrent use; make it with [New].
type Introspector struct {
	client *client
	cache  *cache
	flight singleflight.Group
	now    func() time.Time
}

// New returns an Introspector that asks endpoint, an absolute URL, presenting credential as a bearer
// token. It does not connect. now is the clock that answers age by.
func New(endpoint, credential string, now func() time.Time) *Introspector {
	return &Introspector{client: newClient(endpoint, credential), cache: newCache(now), now: now}
}

// Cached returns the remembered answer for token, if there is one that may still be used. The answer is
// shared and must not be changed.
func (i *Introspector) Cached(token string) (*Answer, bool) {
	return i.cache.get(keyOf(token))
}

// Ask asks the tokens service for token and remembers the answer, which is shared and must not be
// changed. The error is ctx's or an [ErrUnavailable].
func (i *Introspector) Ask(ctx context.Context, token string) (*Answer, error) {
	key := keyOf(token)
	// The question outlives the caller that happened to ask it first: others wait for the same answer.
	shared := context.WithoutCancel(ctx)
	outcome := i.flight.DoChan(string(key[:]), func() (any, error) {
		// An earlier flight may have landed between the caller's look into the cache and now.
		if answer, ok := i.cache.get(key); ok {
			return answer, nil
		}
		answer, err := i.client.ask(shared, token)
		if err != nil {
			return nil, err
		}
		if answer.Active && !answer.ExpiresAt.IsZero() && !i.now().Before(answer.ExpiresAt) {
			answer = Answer{Reason: "expired"}
		}
		i.cache.put(key, &answer)
		return &answer, nil
	})
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case result := <-outcome:
		if result.Err != nil {
			return nil, result.Err
		}
		return result.Val.(*Answer), nil
	}
}

// Ready reports with nil that tokens can be checked now: the tokens service answers and accepts the
// gateway's credential.
func (i *Introspector) Ready(ctx context.Context) error {
	_, err := i.client.ask(ctx, probe)
	return err
}

// Close frees what the Introspector holds. It must not be used afterwards.
func (i *Introspector) Close() {
	i.client.http.CloseIdleConnections()
	i.cache.close()
}
