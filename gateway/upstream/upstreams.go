// Package upstream extends Caddy's reverse_proxy for services with several addresses:
//
//   - http.reverse_proxy.upstreams.quayside gives it the address for each request, as package discovery chooses it.
//   - http.reverse_proxy.transport.quayside sends the request: with the gateway's assertion and its trace. It reports
//     results to the discovery.
//
// Guarantees:
//
//   - A request that may have had an effect is never sent twice. One without a connection was not sent: with
//     lb_retries 1 it is tried at one other address, whatever its method. lb_retry_match must match nothing.
//   - With no usable address the response is an immediate 503.
//   - A reload keeps the state of addresses. Configurations that are only validated connect to nothing.
//
// Errors are [caddyhttp.HandlerError] with the status of the response: 400, 408, 413 or 499 for the client's part,
// 502, 503 or 504 for the service's.
package upstream

import (
	"cmp"
	"fmt"
	"net"
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/drain"
	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
	"github.com/quayside/quayside/gateway/internal/caddy/pool"
	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/tokengate"
)

func init() { caddy.RegisterModule(new(Upstreams)) }

// readyPath is the readiness endpoint of a service: 2xx is ready.
const readyPath = "/readyz"

// addressVar is the variable with the address that a request was sent to last.
const addressVar = "quayside.address"

// Upstreams is a source of dynamic upstreams: all addresses of a service's name, one at a time.
type Upstreams struct {
	// Address is host:port. The host may have several addresses. Each must answer GET /readyz.
	Address string `json:"address,omitempty"`
	// Name is the service's name for people. Default: Address
	Name string `json:"name,omitempty"`

	service *discovery.Service
	release func()
}

// shared holds the services of all configurations.
var shared = pool.New[string, service]()

// service is a service in the pool.
type service struct {
	*discovery.Service

	name string // for people
}

// Status is the availability of a service.
type Status struct {
	Service string
	discovery.Availability
}

// Statuses returns those of all services by name.
func Statuses() (all []Status) {
	for s := range shared.All() {
		all = append(all, Status{s.name, s.Availability()})
	}
	slices.SortFunc(all, func(a, b Status) int { return cmp.Compare(a.Service, b.Service) })
	return all
}

// addressAt returns the address of a service at hostPort, or nil.
func addressAt(hostPort string) *discovery.Address {
	for s := range shared.All() {
		if a := s.Address(hostPort); a != nil {
			return a
		}
	}
	return nil
}

// CaddyModule returns the Caddy module information.
func (*Upstreams) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.reverse_proxy.upstreams.quayside",
		New: func() caddy.Module { return new(Upstreams) },
	}
}

// Provision takes the service, which is watched from the configuration's start on.
func (u *Upstreams) Provision(ctx caddy.Context) error {
	if err := metrics.Register(ctx.GetMetricsRegistry(), collectors...); err != nil {
		return err
	}
	app, err := drain.FromContext(ctx)
	if err != nil {
		return err
	}
	name := cmp.Or(u.Name, u.Address)
	taken, release, err := shared.Take(u.Address, func() (service, error) { return open(u.Address, name) })
	if err != nil {
		return err
	}
	u.service, u.release = taken.Service, release
	app.OnStart(taken.Start)
	return nil
}

func open(address, name string) (service, error) {
	ejections := ejectionsTotal.WithLabelValues(address)
	s, err := discovery.New(discovery.Config{
		Name: address, CheckPath: readyPath, OnEject: ejections.Inc, DialTimeout: DialTimeout,
		Logger: func() *zap.Logger { return caddy.Log().Named(string(new(Upstreams).CaddyModule().ID)) },
	})
	return service{s, name}, err
}

// GetUpstreams implements reverseproxy.UpstreamSource. It returns at most one address, for a retry another one.
func (u *Upstreams) GetUpstreams(r *http.Request) ([]*reverseproxy.Upstream, error) {
	caddyhttp.SetVar(r.Context(), tokengate.ServiceVar, u.Address)
	failed, _ := caddyhttp.GetVar(r.Context(), addressVar).(*discovery.Address)
	if failed != nil && failed.Service() != u.service {
		failed = nil // of another proxy before this one
	}
	u.service.Wait(r.Context())
	picked := u.service.Pick(failed)
	if picked == nil {
		return nil, nil
	}
	if failed != nil {
		retriesTotal.WithLabelValues(u.Address).Inc()
	}
	caddyhttp.SetVar(r.Context(), addressVar, picked)
	return []*reverseproxy.Upstream{{Dial: picked.HostPort}}, nil
}

// Cleanup stops watching the service when nothing else uses it.
func (u *Upstreams) Cleanup() error {
	if u.release != nil {
		u.release()
	}
	return nil
}

// UnmarshalCaddyfile sets up the source from Caddyfile tokens. Syntax:
//
//	dynamic quayside <host:port> [<name>]
func (u *Upstreams) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the name of the module
	if err := directive.Read(d, &u.Address, directive.Optional(&u.Name)); err != nil {
		return err
	}
	if d.NextBlock(0) {
		return d.ArgErr()
	}
	if err := u.Validate(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// Validate implements caddy.Validator.
func (u *Upstreams) Validate() error {
	if _, _, err := net.SplitHostPort(u.Address); err != nil {
		return fmt.Errorf("%s is not host:port: %w", u.Address, err)
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Upstreams)(nil)
	_ caddy.Validator             = (*Upstreams)(nil)
	_ caddy.CleanerUpper          = (*Upstreams)(nil)
	_ caddyfile.Unmarshaler       = (*Upstreams)(nil)
	_ reverseproxy.UpstreamSource = (*Upstreams)(nil)
)
