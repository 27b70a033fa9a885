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

// behind keeps the outages of the services behind the gate.
type behind struct {
	logger   *zap.Logger
	failed   atomic.Bool // at least once, so that there are journals
	journals sync.Map    // by the service: as many as the configuration names; "": none was chosen
}

// fails notes that a request failed behind the gate, with an error and the answer that it became. It returns
// what it was, for the access log; nothing if it was no service's failure.
func (b *behind) fails(r *http.Request, p problem, err error) (reason string) {
	if p.Status < http.StatusInternalServerError {
		return ""
	}
	reason = reasonOf(err)
	service := serviceOf(r)
	serviceFailuresTotal.WithLabelValues(service, p.Code).Inc()
	b.failed.Store(true)
	journal, _ := b.journals.LoadOrStore(service, outage.New("service", func() *zap.Logger {
		return b.logger.With(zap.String("service", service))
	}))
	journal.(*outage.Tracker).Record(errors.New(p.Code + ": " + reason))
	return reason
}

// works notes that a request got its answer.
func (b *behind) works(r *http.Request) {
	if !b.failed.Load() {
		return
	}
	if journal, ok := b.journals.Load(serviceOf(r)); ok {
		journal.(*outage.Tracker).Record(nil)
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
