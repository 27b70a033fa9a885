// Package upstream is the Caddy module http.handlers.service, the gateway's way to a service that runs at several
// addresses. It guarantees that
//
//   - every address of the service's name is used, a new one within a second, and the last good answer is
//     kept while the name cannot be looked up;
//   - an address that refuses a connection is out at once, one that is not ready within half a second, one that does
//     not answer health checks within two and a half, and all are back when they have passed three checks in a row;
//   - an address of which five requests in a row failed is ejected, for 2 s and twice as long each time up to a minute,
//     unless half of the addresses are out already, and is given its share again over 10 s;
//   - a request goes to the address with the fewest requests in flight among the healthy ones, where a failed request
//     counts for another second;
//   - a request for which no connection could be made is tried at one other address, whatever its method: nothing was
//     sent;
//   - a GET, HEAD or OPTIONS without a body is sent at most twice: a second time when an idle connection turned out to
//     be closed. No other request is ever sent twice, whatever its headers say;
//   - the state of addresses outlives the configuration, as do connections, and when no address is left the
//     response is an immediate 503;
//   - responses are bounded: see maxHead, maxInterim and bodyIdle;
//   - what belongs to one connection stays there (RFC 9110, 7.6.1), trailers too, and no protocol is changed.
//
// It is not Caddy's reverse_proxy with a transport because that prepares each request for what no request here
// needs (retries of bodies, upgrades, placeholders for every attempt), which costs as much as the gate does.
package upstream

import (
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"
)

func init() {
	caddy.RegisterModule(new(Handler))
	httpcaddyfile.RegisterHandlerDirective("service", func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		handler := new(Handler)
		return handler, handler.UnmarshalCaddyfile(h.Dispenser)
	})
	httpcaddyfile.RegisterDirectiveOrder("service", httpcaddyfile.Before, "reverse_proxy")
}

const (
	defaultAnswerWithin = 1500 * time.Millisecond
	defaultMaxBody      = 1 << 20
	// keepIdle is shorter than the services', so that no request meets a connection that they just closed.
	keepIdle    = 30 * time.Second
	idlePerHost = 256
)

// Handler sends requests to one service and hands its answers on.
type Handler struct {
	// Name is the service's, to which the gate's assertion of who calls is made out.
	Name string `json:"name,omitempty"`
	// Address is where the service is, host:port. The host may have several addresses.
	Address string `json:"address,omitempty"`
	// AnswerWithin is the time that the service has to begin its answer once it has the request. Default: 1.5s
	AnswerWithin caddy.Duration `json:"answer_within,omitempty"`
	// MaxBody is the most bytes that a request's body may have. Default: 1 MiB
	MaxBody int64 `json:"max_body,omitempty"`

	assertion string // placeholder of its value
	transport *transport
}

// AssertionPrefix is what the name of a service is put behind for the placeholder of its assertion.
const AssertionPrefix = "http.token_gate.assertion."

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.handlers.service",
		New: func() caddy.Module { return new(Handler) },
	}
}

// Provision begins to watch the service, or joins those who do.
func (h *Handler) Provision(ctx caddy.Context) error {
	if err := registerMetrics(ctx.GetMetricsRegistry()); err != nil {
		return err
	}
	if h.AnswerWithin == 0 {
		h.AnswerWithin = caddy.Duration(defaultAnswerWithin)
	}
	if h.MaxBody == 0 {
		h.MaxBody = defaultMaxBody
	}
	h.assertion = AssertionPrefix + h.Name
	watched, err := acquire(h.Address)
	if err != nil {
		return err
	}
	h.transport = newTransport(watched, time.Duration(h.AnswerWithin))
	return nil
}

// Cleanup closes the connections that no request is using and nobody else may use.
func (h *Handler) Cleanup() error {
	if h.transport == nil {
		return nil
	}
	h.transport.http.CloseIdleConnections()
	return release(h.transport.service)
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	service <name> <host:port> {
//	    answer_within <duration>
//	    max_body      <size>
//	}
func (h *Handler) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if !d.Args(&h.Name, &h.Address) || d.NextArg() {
		return d.ArgErr()
	}
	for d.NextBlock(0) {
		option := d.Val()
		var text string
		if !d.Args(&text) || d.NextArg() {
			return d.ArgErr()
		}
		switch {
		case option == "answer_within" && h.AnswerWithin == 0:
			within, err := caddy.ParseDuration(text)
			if err != nil || within <= 0 {
				return d.Errf("answer_within: %s is no time to wait", text)
			}
			h.AnswerWithin = caddy.Duration(within)
		case option == "max_body" && h.MaxBody == 0:
			size, err := humanize.ParseBytes(text)
			if err != nil || size == 0 || size > 1<<40 {
				return d.Errf("max_body: %s is no size", text)
			}
			h.MaxBody = int64(size)
		default:
			return d.Errf("subdirective %s is unknown or given twice", option)
		}
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Handler)(nil)
	_ caddy.CleanerUpper          = (*Handler)(nil)
	_ caddyfile.Unmarshaler       = (*Handler)(nil)
	_ caddyhttp.MiddlewareHandler = (*Handler)(nil)
	_ http.RoundTripper           = (*transport)(nil)
)
