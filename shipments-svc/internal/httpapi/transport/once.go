package transport

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// post adds a route of the method POST, which does a thing once for each
// Idempotency-Key.
func post[Req, Res any](
	rt router, path string, decode func(*http.Request) (Req, error), do method[Req, Res],
	encode func(*http.Request, Res) reply,
) {
	once := func(ctx context.Context, org shipments.OrgID, req Req) (Res, error) {
		return commitOnce(ctx, rt.service, func(ctx context.Context) (Res, error) { return do(ctx, org, req) })
	}
	handle(rt, "POST "+path, keyed(decode), once, encode)
}

// keyed reads a request and its Idempotency-Key, if it has one. The fingerprint is that of the
// body, byte for byte; of a form, its content.
func keyed[Req any](decode func(*http.Request) (Req, error)) func(*http.Request) (Req, error) {
	return func(r *http.Request) (req Req, err error) {
		key, err := idempotency.Key(r)
		if err != nil {
			return req, err
		}
		if key == "" {
			return decode(r)
		}
		body := idempotency.HashBody(r)
		req, err = decode(r)
		callerOf(r.Context()).key = &shipments.Key{
			Operation: r.Method + " " + canonicalPath(r), Text: key, Fingerprint: body.Fingerprint(),
		}
		return req, err
	}
}

// stored is the result of a request, for retries of it.
type stored[Res any] struct {
	Result *Res `json:"result"` // nil: it was stored by an earlier version of the program, which stored answers
}

// commitOnce commits once for each key, with the result: of concurrent requests with a key, one. A retry has the result
// of the first.
func commitOnce[Res any](
	ctx context.Context, service *shipments.Service, commit shipments.Commit[Res],
) (result Res, err error) {
	c := callerOf(ctx)
	if c.key == nil {
		return commit(ctx)
	}
	text, replayed, err := service.Once(ctx, c.org, *c.key, func(ctx context.Context) ([]byte, error) {
		if result, err = commit(ctx); err != nil {
			return nil, err
		}
		return json.Marshal(stored[Res]{&result})
	})
	if err != nil || !replayed {
		return result, err
	}
	first := stored[Res]{}
	if err := json.Unmarshal(text, &first); err != nil {
		return result, err
	}
	if first.Result == nil {
		return result, shipments.ErrKeyInProgress // it is not done again until the key has expired
	}
	if made, ok := any(*first.Result).(webhooks.EndpointWithSecret); ok {
		return result, &secretShownError{WebhookIDs.Format(made.ID)}
	}
	c.replayed = true
	return *first.Result, nil
}

// secretShownError refuses to replay a result whose secret was shown.
type secretShownError struct{ endpoint string }

func (e *secretShownError) Error() string {
	return "this request was done before and made the secret of webhook endpoint " + e.endpoint +
		"; a secret is shown once; if it was lost, rotate it with a new Idempotency-Key"
}
