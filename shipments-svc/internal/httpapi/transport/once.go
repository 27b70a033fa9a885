package transport

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/quayside/quayside/gateway/servicekit/api/idempotency"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

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

// prepare is the first phase of a method, outside of transactions. release ends the use of what it acquired.
type prepare[Req, Res any] func(
	context.Context, shipments.OrgID, Req,
) (commit shipments.Commit[Res], release func(), err error)

// onceOnly is a method with its encoding, committed once for each key. Of concurrent
// requests with a key each is prepared, and one is committed. A request that cannot be
// prepared, perhaps because of its earlier effect, is replayed as well.
func onceOnly[Req, Res any](
	service *shipments.Service, prepared prepare[Req, Res], encode func(*http.Request, Res) reply,
) method[Req, reply] {
	return func(ctx context.Context, org shipments.OrgID, req Req) (made reply, err error) {
		c := callerOf(ctx)
		commit, release, failed := prepared(ctx, org, req)
		defer release()
		once := func(ctx context.Context) ([]byte, error) {
			if failed != nil {
				return nil, failed
			}
			result, err := commit(ctx)
			if err != nil {
				return nil, err
			}
			made = encode(c.request, result)
			stored := made
			if made.SecretOf != "" {
				stored.Body = nil
			}
			return encodeJSON(stored)
		}
		if c.key == nil {
			_, err = once(ctx)
			return made, err
		}
		answer, replayed, err := service.Once(ctx, org, *c.key, once)
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
