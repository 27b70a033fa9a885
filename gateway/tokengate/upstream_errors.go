package tokengate

import (
	"errors"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/outage"
	"github.com/quayside/quayside/gateway/upstream"
)

// upstreamErrors logs the outages of upstream services and counts their failures.
type upstreamErrors struct {
	logger    *zap.Logger
	hasFailed atomic.Bool // at least once, so that there are trackers
	trackers  sync.Map    // by the service: as many as the configuration names; "": none was chosen
}

// failed records a request that a later handler ended with err and the gate answered with p. It returns the reason for
// the access log, or nothing if no service failed.
func (u *upstreamErrors) failed(r *http.Request, p problem, err error) (reason string) {
	if p.Status < http.StatusInternalServerError {
		return ""
	}
	reason = reasonOf(err)
	service := serviceOf(r)
	serviceFailuresTotal.WithLabelValues(service, p.Code).Inc()
	u.hasFailed.Store(true)
	tracker, _ := u.trackers.LoadOrStore(service, outage.New("service", func() *zap.Logger {
		return u.logger.With(zap.String("service", service))
	}))
	tracker.(*outage.Journal).Note(errors.New(p.Code + ": " + reason))
	return reason
}

// succeeded records a request that got its response.
func (u *upstreamErrors) succeeded(r *http.Request) {
	if !u.hasFailed.Load() {
		return
	}
	if tracker, ok := u.trackers.Load(serviceOf(r)); ok {
		tracker.(*outage.Journal).Note(nil)
	}
}

func serviceOf(r *http.Request) string {
	service, _ := caddyhttp.GetVar(r.Context(), upstream.ServiceVar).(string)
	return service
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
