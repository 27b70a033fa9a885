// Package replicas is the Caddy module http.reverse_proxy.upstreams.replicas: all addresses of one
// host:port, looked up again and again.
//
// Caddy's own source of this kind (dynamic a) takes host and port apart, where the environment gives them
// together; it keeps no answer when DNS fails, and waits for a lookup as long as the request lives. Here
// the last good answer stays in use, one request looks up while the others go on, and a lookup ends in
// time, so that DNS being away for a while is not noticed.
package replicas

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"
	"go.uber.org/zap"
)

func init() {
	caddy.RegisterModule(new(Replicas))
}

// refreshEvery is how soon a replica that was added or removed is noticed.
const refreshEvery = 2 * time.Second

// lookupTimeout bounds one lookup.
const lookupTimeout = 250 * time.Millisecond

// Replicas gives reverse_proxy the addresses that a name stands for at present.
type Replicas struct {
	// Address is host:port. The host is a name or an address.
	Address string `json:"address,omitempty"`

	host, port string
	lookup     func(ctx context.Context, network, host string) ([]net.IP, error)
	now        func() time.Time
	found      atomic.Pointer[answer]
	refreshing sync.Mutex
	logger     *zap.Logger
}

// answer is what one lookup found.
type answer struct {
	dials []string
	at    time.Time
}

// CaddyModule returns the Caddy module information.
func (*Replicas) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "http.reverse_proxy.upstreams.replicas",
		New: func() caddy.Module { return new(Replicas) },
	}
}

// Provision implements caddy.Provisioner. It looks nothing up.
func (s *Replicas) Provision(ctx caddy.Context) error {
	s.logger = ctx.Logger()
	s.lookup = net.DefaultResolver.LookupIP
	s.now = time.Now
	return s.parse()
}

func (s *Replicas) parse() error {
	var err error
	if s.host, s.port, err = net.SplitHostPort(s.Address); err != nil || s.host == "" || s.port == "" {
		return fmt.Errorf("replicas: %q is not host:port", s.Address)
	}
	return nil
}

// GetUpstreams implements reverseproxy.UpstreamSource.
func (s *Replicas) GetUpstreams(r *http.Request) ([]*reverseproxy.Upstream, error) {
	found := s.found.Load()
	switch {
	case found == nil:
		// Nothing can be done without a first answer, so everybody waits for it.
		s.refreshing.Lock()
		defer s.refreshing.Unlock()
		if found = s.found.Load(); found == nil {
			var err error
			if found, err = s.refresh(r.Context()); err != nil {
				return nil, err
			}
		}
	case s.now().Sub(found.at) >= refreshEvery && s.refreshing.TryLock():
		defer s.refreshing.Unlock()
		newer, err := s.refresh(r.Context())
		if err != nil {
			s.logger.Warn("lookup failed; keeping the addresses known", zap.String("address", s.Address), zap.Error(err))
			newer = &answer{dials: found.dials, at: s.now()}
			s.found.Store(newer)
		}
		found = newer
	}

	upstreams := make([]*reverseproxy.Upstream, len(found.dials))
	for i, dial := range found.dials {
		upstreams[i] = &reverseproxy.Upstream{Dial: dial}
	}
	return upstreams, nil
}

// refresh looks the name up. The request that happens to do it may end without ending the lookup.
func (s *Replicas) refresh(ctx context.Context) (*answer, error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
	defer cancel()
	ips, err := s.lookup(ctx, "ip", s.host)
	if err != nil {
		return nil, err
	}
	fresh := &answer{at: s.now()}
	for _, ip := range ips {
		fresh.dials = append(fresh.dials, net.JoinHostPort(ip.String(), s.port))
	}
	// DNS servers shuffle their answers; round robin needs the same order each time.
	slices.Sort(fresh.dials)
	s.found.Store(fresh)
	return fresh, nil
}

// UnmarshalCaddyfile sets up the source from Caddyfile tokens. Syntax:
//
//	dynamic replicas <host:port>
func (s *Replicas) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the source's name
	if !d.Args(&s.Address) || d.NextArg() || d.NextBlock(0) {
		return d.ArgErr()
	}
	if err := s.parse(); err != nil {
		return d.WrapErr(err)
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner           = (*Replicas)(nil)
	_ caddyfile.Unmarshaler       = (*Replicas)(nil)
	_ reverseproxy.UpstreamSource = (*Replicas)(nil)
)
