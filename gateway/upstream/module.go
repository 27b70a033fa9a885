// Package upstream is the Caddy module http.reverse_proxy.transport.service, the gateway's way to a service
// that runs at several addresses. It guarantees that
//
//   - every address of the service's name is used, a new one within a second, and the last good answer is
//     kept while the name cannot be looked up;
//   - an address that cannot be connected to is out at once, one that does not pass its check within a
//     second and a half, and both are back when they have passed three in a row;
//   - a request goes to the address with the fewest requests in flight among those that pass their checks;
//   - a GET or HEAD whose connection could not be made is tried once more, at another address, and no other
//     request is ever sent twice, whatever its headers say;
//   - what is known of addresses outlives the configuration, and when none is left the answer is an
//     immediate 503.
package upstream

import (
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/tracing"
)

func init() {
	caddy.RegisterModule(new(Transport))
}

const (
	defaultAnswerWithin = 1500 * time.Millisecond
	// keepIdle is shorter than the services', so that no request meets a connection that they just closed.
	keepIdle    = 30 * time.Second
	idlePerHost = 256
)

// Transport sends requests to one service. The proxy that it belongs to has one upstream, host:port, which is
// the service's name.
type Transport struct {
	// AnswerWithin is the time that the service has to begin its answer once it has the request. Default: 1.5s
	AnswerWithin caddy.Duration `json:"answer_within,omitempty"`

	service *service
	named   any // its name, for every request
	http    *http.Transport
}

// ServiceVar is the variable of a request in which Caddy's handlers find the name of the service that it was
// sent to: for the log and metrics of those who run the gateway.
const ServiceVar = "quayside.service"

// CaddyModule returns the Caddy module information.
func (*Transport) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.reverse_proxy.transport.service",
		New: func() caddy.Module { return new(Transport) },
	}
}

// Provision begins to watch the service, or joins those who do.
func (t *Transport) Provision(ctx caddy.Context) error {
	name, err := nameOf(ctx.Modules())
	if err != nil {
		return err
	}
	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	if t.service, err = acquire(name); err != nil {
		return err
	}
	t.named = name
	if t.AnswerWithin == 0 {
		t.AnswerWithin = caddy.Duration(defaultAnswerWithin)
	}
	t.http = &http.Transport{
		DialContext:           t.service.dial,
		ResponseHeaderTimeout: time.Duration(t.AnswerWithin),
		IdleConnTimeout:       keepIdle,
		MaxIdleConnsPerHost:   idlePerHost,
		DisableCompression:    true,
	}
	return nil
}

// nameOf returns what the proxy is told to send to. lineage are the modules around this transport.
func nameOf(lineage []caddy.Module) (string, error) {
	for _, module := range lineage {
		if proxy, ok := module.(*reverseproxy.Handler); ok && len(proxy.Upstreams) == 1 {
			return proxy.Upstreams[0].Dial, nil
		}
	}
	return "", errors.New("transport service: the proxy needs exactly one upstream, the service's host:port")
}

// Cleanup closes the connections that no request is using.
func (t *Transport) Cleanup() error {
	if t.service == nil {
		return nil
	}
	t.http.CloseIdleConnections()
	return release(t.service)
}

// RoundTrip implements http.RoundTripper.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	caddyhttp.SetVar(r.Context(), ServiceVar, t.named)
	first := t.service.choose(nil)
	if first == nil {
		return nil, caddyhttp.Error(http.StatusServiceUnavailable, errNowhere)
	}
	response, err := t.send(r, first)
	if err == nil || !repeatable(r) || !isDialError(err) {
		return response, err
	}
	second := t.service.choose(first)
	if second == nil {
		return nil, err
	}
	retriesTotal.WithLabelValues(t.service.name).Inc()
	return t.send(r, second)
}

var errNowhere = errors.New("no address of the service is usable")

func (t *Transport) send(r *http.Request, to *address) (*http.Response, error) {
	r.URL.Scheme, r.URL.Host = "http", to.hostPort
	if !repeatable(r) {
		sendOnce(r)
	}
	ctx, span := tracing.Child(r.Context(), "forward", trace.SpanKindClient)
	defer span.End()
	tracing.Tell(ctx, r.Header)
	to.inFlight.Add(1)
	response, err := t.http.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "")
		to.inFlight.Add(-1)
		t.service.failed(r.Context(), to, err)
		return nil, err
	}
	response.Body = &body{ReadCloser: response.Body, from: to}
	return response, nil
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

// UnmarshalCaddyfile sets up the transport from Caddyfile tokens. Syntax:
//
//	transport service {
//	    answer_within <duration>
//	}
func (t *Transport) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the transport's name
	if d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		if d.Val() != "answer_within" {
			return d.Errf("unknown subdirective %s", d.Val())
		}
		var text string
		if !d.Args(&text) || d.NextArg() || t.AnswerWithin != 0 {
			return d.ArgErr()
		}
		within, err := caddy.ParseDuration(text)
		if err != nil || within <= 0 {
			return d.Errf("answer_within: %s is no time to wait", text)
		}
		t.AnswerWithin = caddy.Duration(within)
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Transport)(nil)
	_ caddy.CleanerUpper    = (*Transport)(nil)
	_ caddyfile.Unmarshaler = (*Transport)(nil)
	_ http.RoundTripper     = (*Transport)(nil)
)
