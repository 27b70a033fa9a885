package tokengate

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/upstream"
)

// upstreamFailed counts a request that a later handler ended with err and the gate answered with p. It returns the
// reason for the access log, or nothing if no service failed. That a service is away is in the log of its addresses.
func upstreamFailed(r *http.Request, p problem, err error) (reason string) {
	if p.Status < http.StatusInternalServerError {
		return ""
	}
	service, _ := caddyhttp.GetVar(r.Context(), upstream.ServiceVar).(string)
	serviceFailuresTotal.WithLabelValues(service, p.Code).Inc()
	return reasonOf(err)
}

// quoted is what errors repeat of what they could not read: it may be anything.
var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

// reasonOf is the text of err without Caddy's account of where it came from, and without what it quotes.
func reasonOf(err error) string {
	if handlerErr, ok := errors.AsType[caddyhttp.HandlerError](err); ok && handlerErr.Err != nil {
		err = handlerErr.Err
	}
	return quoted.ReplaceAllString(err.Error(), `"…"`)
}
