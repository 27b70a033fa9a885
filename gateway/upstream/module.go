// Package upstream is the Caddy module http.handlers.service: a reverse proxy to one service with several addresses.
//
// Guarantees:
//
//   - Discovery: every address of the service's name is used, a new one within a second. While the lookup fails, the
//     last addresses stay in use.
//   - Health checks: an address that refuses a connection is unhealthy immediately, one that is not ready within half
//     a second, one that times out within two and a half. Three passed checks in a row make it healthy again.
//   - Outlier detection: an address with five failed requests in a row is ejected for 2 s, doubled each time up to a
//     minute, never more than half of the addresses. It returns with slow start over 10 s.
//   - Load balancing: least connections among the healthy addresses; a failed request counts for another second.
//   - Retries: a request without a connection was not sent, so it is tried at one other address, whatever its method.
//     A GET, HEAD or OPTIONS without a body is sent again once if a reused connection was closed. No other request is
//     sent twice, whatever its headers.
//   - With no usable address the response is an immediate 503.
//   - Reload: the state of addresses and idle connections are kept.
//   - Responses are bounded: see maxHead and bodyIdle. Hop-by-hop headers, 1xx responses and trailers are
//     not forwarded, and protocols cannot be upgraded (RFC 9110, section 7.6.1).
//
// Errors are [caddyhttp.HandlerError] with the status of the response: 400, 408, 413 or 499 for the client's part,
// 502, 503 or 504 for the service's. Sizes are bytes.
package upstream

import (
	"fmt"
	"net"
	"net/netip"
	"regexp"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/dustin/go-humanize"

	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
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
	// maxAnswerWithin is less than the time in which the server ends any response.
	maxAnswerWithin = 5 * time.Minute
	// keepIdle is shorter than the services' idle timeout, so that no request meets a connection that was just
	// closed.
	keepIdle    = 30 * time.Second
	idlePerHost = 256
)

// Handler forwards requests to one service.
type Handler struct {
	// Name is the audience of the gateway's assertion for the service.
	Name string `json:"name,omitempty"`
	// Address is host:port. The host may have several addresses.
	Address string `json:"address,omitempty"`
	// AnswerWithin is the timeout from the end of the request to the start of the response. Default: 1.5s
	AnswerWithin caddy.Duration `json:"answer_within,omitempty"`
	// MaxBody is the largest request body in bytes. Default: 1 MiB
	MaxBody int64 `json:"max_body,omitempty"`

	assertion string // name of the placeholder
	transport *transport
	release   func() error // of the service
}

// AssertionPrefix and the name of a service are the placeholder with the assertion for that service.
const AssertionPrefix = "http.token_gate.assertion."

// CaddyModule returns the Caddy module information.
func (*Handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.service", New: func() caddy.Module { return new(Handler) }}
}

// Provision starts watching the service unless another handler already does.
func (h *Handler) Provision(ctx caddy.Context) error {
	if err := metrics.Register(ctx.GetMetricsRegistry(), retriesTotal, ejectionsTotal, addressCollector{}); err != nil {
		return err
	}
	if h.AnswerWithin == 0 {
		h.AnswerWithin = caddy.Duration(defaultAnswerWithin)
	}
	if h.MaxBody == 0 {
		h.MaxBody = defaultMaxBody
	}
	h.assertion = AssertionPrefix + h.Name
	watched, release, err := acquire(h.Address)
	if err != nil {
		return err
	}
	h.transport, h.release = newTransport(watched, time.Duration(h.AnswerWithin)), release
	return nil
}

var (
	serviceName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)
	hostName    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._-]{0,252}$`)
)

// checkNames reports a name or an address that would fail with every request, or be another one than it looks like.
func (h *Handler) checkNames() error {
	if !serviceName.MatchString(h.Name) {
		return fmt.Errorf("service: the name %q must be of letters, digits, dots, _ and -", h.Name)
	}
	host, port, err := net.SplitHostPort(h.Address)
	if err != nil {
		return fmt.Errorf("service: %s is not host:port: %w", h.Address, err)
	}
	if _, err := netip.ParseAddr(host); err != nil && !hostName.MatchString(host) {
		return fmt.Errorf("service: %s is not host:port: %q is neither a name nor an address", h.Address, host)
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("service: %s is not host:port: %q is not a port", h.Address, port)
	}
	return nil
}

// Cleanup closes idle connections and stops watching the service when no other handler uses it.
func (h *Handler) Cleanup() error {
	if h.transport == nil {
		return nil
	}
	h.transport.http.CloseIdleConnections()
	return h.release()
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
	if err := h.checkNames(); err != nil {
		return d.WrapErr(err) // here, because Caddy's error of a module names no file and line
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
			if err != nil || within <= 0 || within > maxAnswerWithin {
				return d.Errf("answer_within: %s is not a duration of at most 5m", text)
			}
			h.AnswerWithin = caddy.Duration(within)
		case option == "max_body" && h.MaxBody == 0:
			size, err := humanize.ParseBytes(text)
			if err != nil || size == 0 || size > 1<<40 {
				return d.Errf("max_body: %s is not a size", text)
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
	_ caddy.Provisioner  = (*Handler)(nil)
	_ caddy.CleanerUpper = (*Handler)(nil)
)
