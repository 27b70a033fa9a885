package transport

import (
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/jsonbody"
	"github.com/quayside/quayside/gateway/servicekit/query"
	"github.com/quayside/quayside/tokens-svc/internal/httpapi/endpoints"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// defaultLife is how long a new token lasts when nothing is said: as long as
// one made at the command line or in the form.
const defaultLifetime = 90 * 24 * time.Hour

// endedByItself is the reason of a token that its holder ended.
const endedByItself = "ended by its holder"

func decodeNothing(r *http.Request) (struct{}, error) {
	return struct{}{}, query.Read(r).Err()
}

// pathID returns the token's id in the path, or "" where the route has none. A
// text that is no token's id names no token.
func pathID(r *http.Request) (tokens.TokenID, error) {
	id := tokens.TokenID(r.PathValue("id"))
	if id != "" && !id.Valid() {
		return "", tokens.ErrNotFound
	}
	return id, nil
}

func decodeID(r *http.Request) (tokens.TokenID, error) {
	id, err := pathID(r)
	if err != nil {
		return "", err
	}
	return id, query.Read(r).Err()
}

func decodeCreate(now func() time.Time) func(*http.Request) (endpoints.Creation, error) {
	return func(r *http.Request) (endpoints.Creation, error) {
		if err := query.Read(r).Err(); err != nil {
			return endpoints.Creation{}, err
		}
		body, err := readJSON(r, plainJSON)
		if err != nil {
			return endpoints.Creation{}, err
		}
		token := body.Object().Object("token")
		d := tokens.Draft{
			Name:        token.Text("name"),
			Environment: tokens.Environment(token.Choice("environment", string(tokens.Live), string(tokens.Test))),
			Permissions: token.Texts("permissions"),
			ExpiresAt:   now().Add(defaultLifetime), DefaultExpiry: true,
		}
		if token.Has("ip_allow") {
			d.IPAllow = append([]string{}, token.Texts("ip_allow")...)
		}
		if token.Has("rate_limit") {
			d.RateLimit = readLimit(token.OptionalObject("rate_limit"))
		}
		if end := readEnd(token); end != nil {
			d.ExpiresAt, d.DefaultExpiry = *end, false
		}
		return endpoints.Creation{Draft: d}, faultsOf(body)
	}
}

func decodeUpdate(r *http.Request) (endpoints.Update, error) {
	id, err := pathID(r)
	if err != nil {
		return endpoints.Update{}, err
	}
	if err := query.Read(r).Err(); err != nil {
		return endpoints.Update{}, err
	}
	body, err := readJSON(r, plainJSON, mergePatch)
	if err != nil {
		return endpoints.Update{}, err
	}
	token := body.Object().Object("token")
	p := tokens.Patch{Name: token.OptionalText("name"), ExpiresAt: readEnd(token)}
	if token.Has("permissions") {
		p.Permissions = new(token.Texts("permissions"))
	}
	switch {
	case token.Null("ip_allow"):
		p.IPAllow = new([]string)
	case token.Has("ip_allow"):
		p.IPAllow = new(token.Texts("ip_allow"))
	}
	switch {
	case token.Null("rate_limit"):
		p.RateLimit = new(tokens.DefaultRateLimit)
	case token.Has("rate_limit"):
		p.RateLimit = new(readLimit(token.OptionalObject("rate_limit")))
	}
	return endpoints.Update{ID: id, Patch: p}, faultsOf(body)
}

func decodeRotation(r *http.Request) (endpoints.Rotation, error) {
	id, err := pathID(r)
	if err != nil {
		return endpoints.Rotation{}, err
	}
	if err := query.Read(r).Err(); err != nil {
		return endpoints.Rotation{}, err
	}
	body, err := readOptionalJSON(r)
	if err != nil {
		return endpoints.Rotation{}, err
	}
	asked := endpoints.Rotation{ID: id, Grace: tokens.DefaultGrace}
	if o := body.Object(); o.Has("grace_seconds") {
		asked.Grace = seconds(o.Int("grace_seconds"))
	}
	return asked, faultsOf(body)
}

func decodeRevocation(r *http.Request) (endpoints.Revocation, error) {
	id, err := pathID(r)
	if err != nil {
		return endpoints.Revocation{}, err
	}
	if err := query.Read(r).Err(); err != nil {
		return endpoints.Revocation{}, err
	}
	body, err := readOptionalJSON(r)
	if err != nil {
		return endpoints.Revocation{}, err
	}
	o := body.Object()
	asked := endpoints.Revocation{ID: id, Reason: o.Text("reason"), Children: o.Bool("children")}
	return asked, faultsOf(body)
}

func decodeEnd(r *http.Request) (endpoints.Revocation, error) {
	return endpoints.Revocation{Reason: endedByItself}, query.Read(r).Err()
}

// readEnd returns when a token is to end, the zero time where that is null, or
// nil where nothing is said.
func readEnd(token *jsonbody.Object) *time.Time {
	if token.Null("expires_at") {
		return new(time.Time)
	}
	if end := token.Time("expires_at"); !end.IsZero() {
		return &end
	}
	return nil
}

// readLimit leaves missing members zero; an explicit zero is not one that
// anybody may choose.
func readLimit(o *jsonbody.Object) tokens.RateLimit {
	var r tokens.RateLimit
	if o.Has("limit") {
		r.Limit = orWrong(o.Int("limit"))
	}
	if o.Has("window_seconds") {
		r.Window = seconds(orWrong(o.Int("window_seconds")))
	}
	return r
}

// orWrong turns 0 into a number that is refused.
func orWrong(n int) int {
	if n == 0 {
		return -1
	}
	return n
}

// seconds returns n seconds, or the longest duration where those do not fit.
func seconds(n int) time.Duration {
	const most = int(1<<63-1) / int(time.Second)
	return time.Duration(max(min(n, most), -most)) * time.Second
}
