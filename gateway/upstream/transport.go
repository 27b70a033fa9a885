package upstream

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/tracing"
)

// transport carries requests to a service: those without a body by an exchange, all others by net/http.
type transport struct {
	service *service
	within  time.Duration
	http    *http.Transport
}

func newTransport(to *service, within time.Duration) *transport {
	return &transport{service: to, within: within, http: &http.Transport{
		DialContext:           to.dialNet,
		ResponseHeaderTimeout: within,
		IdleConnTimeout:       keepIdle,
		MaxIdleConnsPerHost:   idlePerHost,
		DisableCompression:    true,
	}}
}

// RoundTrip implements http.RoundTripper. It sets the URL's scheme and host.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	first := t.service.choose(nil)
	if first == nil {
		return nil, caddyhttp.Error(http.StatusServiceUnavailable, errNowhere)
	}
	answer, err := t.send(r, first)
	if err == nil || !repeatable(r) || !isDialError(err) {
		return answer, err
	}
	second := t.service.choose(first)
	if second == nil {
		return nil, err
	}
	retriesTotal.WithLabelValues(t.service.name).Inc()
	return t.send(r, second)
}

var errNowhere = errors.New("no address of the service is usable")

func (t *transport) send(r *http.Request, to *address) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host = "http", to.hostPort
	ctx, span := tracing.Child(r.Context(), "forward", trace.SpanKindClient)
	defer span.End()
	tracing.Tell(ctx, r.Header)
	to.inFlight.Add(1)
	answer, err := t.exchange(r, to)
	if err != nil {
		span.SetStatus(codes.Error, "")
		to.inFlight.Add(-1)
		if !unread(r) {
			t.service.failed(r.Context(), to, err)
		}
		return nil, err
	}
	answer.Body = &body{ReadCloser: answer.Body, from: to}
	return answer, nil
}

func (t *transport) exchange(r *http.Request, to *address) (*http.Response, error) {
	if repeatable(r) {
		return to.exchange(r, t.within, t.service.dial)
	}
	sendOnce(r)
	return t.http.RoundTrip(r)
}

// repeatable reports whether r may be sent a second time: it changes nothing and has no body.
func repeatable(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && (r.Body == nil || r.Body == http.NoBody)
}

// sendOnce keeps net/http from repeating r. When a connection breaks that has been used before, it repeats
// what it takes for idempotent, and that is anything with an idempotency key. It knows that header in its
// canonical spelling only; on the wire spellings are equal.
func sendOnce(r *http.Request) {
	for _, name := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, ok := r.Header[name]; ok {
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = values
		}
	}
}
