package transport

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// keyed is a request that may have an Idempotency-Key.
type keyed[Req any] struct {
	key     *shipments.Key // nil: it has none
	request Req
}

// Waits implements waiter.
func (k keyed[Req]) Waits() time.Duration {
	if w, ok := any(k.request).(waiter); ok {
		return w.Waits()
	}
	return 0
}

// decodeKeyed reads a request and its key. The fingerprint is that of the
// body, byte for byte; of a form, its content.
func decodeKeyed[Req any](decode func(*http.Request) (Req, error)) func(*http.Request) (keyed[Req], error) {
	return func(r *http.Request) (keyed[Req], error) {
		key, err := idempotency.Key(r)
		if err != nil {
			return keyed[Req]{}, err
		}
		var k keyed[Req]
		if key == "" {
			k.request, err = decode(r)
			return k, err
		}
		body := idempotency.HashBody(r)
		k.request, err = decode(r)
		k.key = &shipments.Key{Operation: r.Method + " " + canonicalPath(r), Text: key, Fingerprint: body.Fingerprint()}
		return k, err
	}
}

// idempotent runs an operation once for each key and keeps the response.
type idempotent interface {
	Once(context.Context, shipments.OrgID, shipments.Key, func(context.Context) ([]byte, error)) ([]byte, bool, error)
}

// prepare is the first phase of a method, outside of transactions.
type prepare[Req, Res any] func(context.Context, shipments.OrgID, Req) (shipments.Commit[Res], error)

// onceOnly is a method with its encoding, committed once for each key. Of concurrent
// requests with a key each is prepared, and one is committed. A request that cannot be
// prepared, perhaps because of its earlier effect, is replayed as well.
func onceOnly[Req, Res any](
	keys idempotent, prepared prepare[Req, Res], encode func(*http.Request, Res) reply,
) method[keyed[Req], reply] {
	return func(ctx context.Context, org shipments.OrgID, k keyed[Req]) (made reply, err error) {
		commit, failed := prepared(ctx, org, k.request)
		once := func(ctx context.Context) ([]byte, error) {
			if failed != nil {
				return nil, failed
			}
			result, err := commit(ctx)
			if err != nil {
				return nil, err
			}
			made = encode(callerOf(ctx).request, result)
			stored := made
			if made.SecretOf != "" {
				stored.Body = nil
			}
			return encodeJSON(stored)
		}
		if k.key == nil {
			_, err = once(ctx)
			return made, err
		}
		answer, replayed, err := keys.Once(ctx, org, *k.key, once)
		if replayed {
			return load(answer)
		}
		return made, err
	}
}

// secretShownError refuses to replay a reply that showed a secret.
type secretShownError struct{ endpoint string }

func (e *secretShownError) Error() string {
	return "this request was done before and made the secret of webhook endpoint " + e.endpoint +
		"; a secret is shown once; if it was lost, rotate it with a new Idempotency-Key"
}

// load returns a reply that was stored, marked as replayed.
func load(answer []byte) (reply, error) {
	var body, public json.RawMessage
	re := reply{Body: &body, Public: &public}
	if err := json.Unmarshal(answer, &re); err != nil {
		return reply{}, err
	}
	if re.SecretOf != "" {
		return reply{}, &secretShownError{re.SecretOf}
	}
	if body == nil {
		re.Body = nil
	}
	if public == nil {
		re.Public = nil
	}
	if re.Header == nil {
		re.Header = http.Header{}
	}
	re.Header.Set(idempotency.Replayed, "true")
	return re, nil
}
