package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

func init() { caddy.RegisterModule(new(Transport)) }

// DialTimeout bounds connecting to an address. It is a variable for tests on busy machines.
var DialTimeout = 250 * time.Millisecond

const (
	defaultAnswerWithin = 1500 * time.Millisecond
	maxAnswerWithin     = 5 * time.Minute
	// keepIdle is shorter than the services' idle timeout, so that no request meets a connection that was just
	// closed.
	keepIdle    = 30 * time.Second
	idlePerHost = 256
	// maxHead bounds the header section of a response, in bytes.
	maxHead = 1 << 20
	// writeWithin bounds one write to a service. A service that stops reading would otherwise hold a request for ever,
	// also when its client has gone.
	writeWithin = 30 * time.Second
)

// Transport sends requests by HTTP/1.1 to a service that verifies the gateway's assertion.
type Transport struct {
	// Name is the service that assertions are for.
	Name string `json:"name,omitempty"`
	// AnswerWithin is the timeout from the end of a request to the start of its response. Default: 1.5s
	AnswerWithin caddy.Duration `json:"answer_within,omitempty"`

	assertion string // name of the placeholder
	http      *http.Transport
}

// assertionPrefix and the name of a service are the placeholder with the gate's assertion for that service.
const assertionPrefix = "http.token_gate.assertion."

// CaddyModule returns the Caddy module information.
func (*Transport) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.reverse_proxy.transport.quayside",
		New: func() caddy.Module { return new(Transport) },
	}
}

// Provision implements caddy.Provisioner.
func (t *Transport) Provision(caddy.Context) error {
	t.assertion = assertionPrefix + t.Name
	t.http = &http.Transport{
		DialContext:            dial,
		ResponseHeaderTimeout:  cmp.Or(time.Duration(t.AnswerWithin), defaultAnswerWithin),
		MaxResponseHeaderBytes: maxHead,
		IdleConnTimeout:        keepIdle,
		MaxIdleConnsPerHost:    idlePerHost,
		DisableCompression:     true,
	}
	return nil
}

// dial connects to hostPort. Its error reports that the request was not sent.
func dial(ctx context.Context, network, hostPort string) (conn net.Conn, err error) {
	if to := addressAt(hostPort); to != nil {
		conn, err = to.Dial(ctx, network)
	} else {
		conn, err = (&net.Dialer{Timeout: DialTimeout}).DialContext(ctx, network, hostPort)
	}
	if err != nil {
		return nil, reverseproxy.NewDialError(err)
	}
	return serviceConn{conn}, nil
}

// serviceConn is a connection to a service, of which each write ends within writeWithin.
type serviceConn struct{ net.Conn }

// Write implements net.Conn.
func (c serviceConn) Write(p []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(writeWithin)); err != nil {
		return 0, err
	}
	return c.Conn.Write(p)
}

// CloseWrite ends one direction of an upgraded connection.
func (c serviceConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return errors.ErrUnsupported
}

// RoundTrip implements http.RoundTripper. r is reverse_proxy's copy, which it changes.
func (t *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := spans.Child(r.Context(), "forward", trace.SpanKindClient)
	defer span.End()
	t.prepare(ctx, r)
	to, known := caddyhttp.GetVar(ctx, addressVar).(*discovery.Address)
	if !known {
		response, err := t.http.RoundTrip(r)
		return response, statusError(r, err)
	}
	to.Begin()
	response, err := t.http.RoundTrip(r)
	if err != nil {
		span.SetStatus(codes.Error, "")
		to.End()
		if r.Context().Err() == nil && bodyError(r) == nil {
			to.Record(true)
		}
		return nil, statusError(r, err)
	}
	if response.StatusCode >= http.StatusInternalServerError {
		to.Record(true)
	}
	if response.StatusCode == http.StatusSwitchingProtocols {
		to.Record(false)
		to.End() // the body is the connection, which must stay as it is
		return response, nil
	}
	response.Body = &responseBody{ReadCloser: response.Body, request: r, from: to, status: response.StatusCode}
	return response, nil
}

// prepare makes r the request to the service, whose trace ctx has.
func (t *Transport) prepare(ctx context.Context, r *http.Request) {
	r.URL.Scheme, r.URL.User = "http", nil
	for _, name := range [...]string{"X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"} {
		delete(r.Header, name) // services read X-Client-Address
	}
	if repl, ok := ctx.Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		if assertion, ok := repl.GetString(t.assertion); ok && assertion != "" {
			r.Header["X-Gateway-Assertion"] = []string{assertion}
		}
	}
	tracing.Inject(ctx, r.Header)
	preventRetry(r)
	if r.Body != nil {
		r.Body = &requestBody{ReadCloser: r.Body}
	}
}

// preventRetry keeps net/http from sending r again on a broken connection: net/http treats a request with an
// Idempotency-Key as idempotent. It looks for the canonical spelling only, so the lower-case name, equal on the wire,
// prevents that. GET, HEAD and OPTIONS without a body are sent again when a reused connection was closed.
func preventRetry(r *http.Request) {
	for _, name := range [...]string{"Idempotency-Key", "X-Idempotency-Key"} {
		if values, ok := r.Header[name]; ok {
			delete(r.Header, name)
			r.Header[strings.ToLower(name)] = values
		}
	}
}

// Validate implements caddy.Validator.
func (t *Transport) Validate() error {
	if !serviceName.MatchString(t.Name) {
		return fmt.Errorf("the name %q must be of letters, digits, dots, _ and -", t.Name)
	}
	if within := time.Duration(t.AnswerWithin); within < 0 || within > maxAnswerWithin {
		return fmt.Errorf("answer_within: %v is not a duration of at most 5m", within)
	}
	return nil
}

// Cleanup closes idle connections.
func (t *Transport) Cleanup() error {
	if t.http != nil {
		t.http.CloseIdleConnections()
	}
	return nil
}

var serviceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// UnmarshalCaddyfile sets up the transport from Caddyfile tokens. Syntax:
//
//	transport quayside <service> {
//	    answer_within <duration>
//	}
func (t *Transport) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if err := directive.Read(d, &t.Name); err != nil {
		return err
	}
	for d.NextBlock(0) {
		if option := d.Val(); option != "answer_within" || t.AnswerWithin != 0 {
			return d.Errf("subdirective %s is unknown or given twice", option)
		}
		if err := directive.Read(d, &t.AnswerWithin); err != nil {
			return err
		}
	}
	if err := t.Validate(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Transport)(nil)
	_ caddy.Validator       = (*Transport)(nil)
	_ caddy.CleanerUpper    = (*Transport)(nil)
	_ caddyfile.Unmarshaler = (*Transport)(nil)
	_ http.RoundTripper     = (*Transport)(nil)
)
