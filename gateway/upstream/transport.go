package upstream

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/telemetry/tracing"
)

// transport sends requests to a service: those without a body by an exchange, all others by net/http.
type transport struct {
	service *service
	timeout time.Duration
	http    *http.Transport
}

func newTransport(to *service, timeout time.Duration) *transport {
	return &transport{service: to, timeout: timeout, http: &http.Transport{
		DialContext:            to.dial,
		ResponseHeaderTimeout:  timeout,
		MaxResponseHeaderBytes: maxHead,
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    idlePerHost,
		DisableCompression:     true,
	}}
}

// RoundTrip implements http.RoundTripper. It sets the URL's scheme and host.
func (t *transport) RoundTrip(r *http.Request) (*http.Response, error) {
	first := t.service.pick(nil)
	if first == nil {
		return nil, caddyhttp.Error(http.StatusServiceUnavailable, errNoAddress)
	}
	response, err := t.send(r, first, false)
	// Without a connection nothing was sent, not even part of a body: any request may go to another address.
	if _, unsent := errors.AsType[dialError](err); err == nil || !unsent && (!repeatable(r) || !errors.Is(err, errStale)) {
		return response, err
	}
	second := t.service.pick(first)
	if second == nil && errors.Is(err, errStale) {
		second = first
	}
	if second == nil {
		return nil, err
	}
	retriesTotal.WithLabelValues(t.service.name).Inc()
	return t.send(r, second, true)
}

var errNoAddress = errors.New("no address of the service is usable")

// send sends r to one address and records the result. With fresh, it opens a new connection.
func (t *transport) send(r *http.Request, to *address, fresh bool) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host = "http", to.hostPort
	ctx, span := tracing.Child(r.Context(), "forward", trace.SpanKindClient)
	defer span.End()
	tracing.Inject(ctx, r.Header)
	to.inFlight.Add(1)
	response, err := t.exchange(r, to, fresh)
	if err != nil {
		span.SetStatus(codes.Error, "")
		to.inFlight.Add(-1)
		if r.Context().Err() == nil && bodyError(r) == nil && !errors.Is(err, errStale) {
			t.service.recordResult(to, true)
		}
		return nil, err
	}
	t.service.recordResult(to, response.StatusCode >= http.StatusInternalServerError)
	response.Body = &trackedBody{ReadCloser: response.Body, onClose: func() { to.inFlight.Add(-1) }, onError: func() {
		if r.Context().Err() == nil {
			t.service.recordResult(to, true)
		}
	}}
	return response, nil
}

func (t *transport) exchange(r *http.Request, to *address, fresh bool) (*http.Response, error) {
	if repeatable(r) {
		return to.exchange(r, t.timeout, fresh, t.service.dial)
	}
	preventRetry(r)
	ctx, cancel := context.WithCancel(r.Context())
	response, err := t.http.RoundTrip(r.WithContext(ctx))
	if err == nil {
		if err = checkStatus(response.StatusCode); err != nil {
			_ = response.Body.Close()
			t.http.CloseIdleConnections() // net/http takes any status for well formed, and keeps its connection
		}
	}
	if err != nil {
		cancel()
		return nil, err
	}
	response.Body = newIdleTimeoutBody(response.Body, cancel)
	return response, nil
}

// repeatable reports whether r may be sent again: it is safe and has no body.
func repeatable(r *http.Request) bool {
	switch r.Method {
	case http.MethodGet, http.MethodHead, http.MethodOptions:
		return r.Body == nil || r.Body == http.NoBody
	default:
		return false
	}
}

// preventRetry keeps net/http from retrying r on a broken connection: net/http treats a request with an
// Idempotency-Key as idempotent. It looks for the canonical spelling only, so the lower-case name, equal on the wire,
// prevents that.
func preventRetry(r *http.Request) {
	for _, name := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, ok := r.Header[name]; ok {
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = values
		}
	}
}
