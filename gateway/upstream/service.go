package upstream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"

	sharedpool "github.com/quayside/quayside/gateway/internal/caddy/pool"
)

// dialTimeout bounds connecting.
const dialTimeout = 250 * time.Millisecond

// service is a service with its addresses and their state. Handlers of one service share it, also across reloads.
type service struct {
	name       string // host:port as configured
	nameValue  any    // name as an interface, allocated once
	host, port string
	resolve    func(ctx context.Context, network, host string) ([]netip.Addr, error)
	logger     *zap.Logger
	checks     *http.Transport

	addresses atomic.Pointer[[]*address] // never changed, only replaced
	turn      atomic.Uint64              // round robin among equal addresses
	trigger   chan struct{}              // requests health checks now
	ejecting  sync.Mutex                 // serializes the decision to eject

	stop    context.CancelFunc
	running sync.WaitGroup
}

var services = sharedpool.New[string, *service]()

// acquire returns the service of that name, which it starts to watch if it is new, and the function that releases it.
func acquire(name string) (s *service, release func() error, err error) {
	return services.Take(name, func() (*service, error) {
		s, err := newService(name, net.DefaultResolver.LookupNetIP)
		if err == nil {
			s.watch()
		}
		return s, err
	})
}

func newService(name string, resolve func(context.Context, string, string) ([]netip.Addr, error)) (*service, error) {
	host, port, err := net.SplitHostPort(name)
	if err != nil {
		return nil, fmt.Errorf("service: %s is not host:port: %w", name, err)
	}
	s := &service{
		name: name, nameValue: name, host: host, port: port, resolve: resolve,
		// the logger outlives the configuration
		logger:  caddy.Log().Named("http.handlers.service").With(zap.String("service", name)),
		trigger: make(chan struct{}, 1),
	}
	s.checks = &http.Transport{DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext, DisableKeepAlives: true}
	s.addresses.Store(new([]*address))
	return s, nil
}

// setAddresses replaces the addresses and reports whether any is new. Known addresses keep their state.
func (s *service) setAddresses(found []netip.Addr) (more bool) {
	known := *s.addresses.Load()
	next := make([]*address, 0, len(found))
	for _, ip := range found {
		hostPort := net.JoinHostPort(ip.Unmap().String(), s.port)
		same := func(a *address) bool { return a.hostPort == hostPort }
		switch i := slices.IndexFunc(known, same); {
		case slices.ContainsFunc(next, same):
		case i >= 0:
			next = append(next, known[i])
		default:
			fresh := &address{hostPort: hostPort}
			fresh.setState(unknown)
			next = append(next, fresh)
			more = true
		}
	}
	s.addresses.Store(&next)
	for _, a := range known {
		if !slices.Contains(next, a) {
			a.conns.close()
		}
	}
	return more
}

// dial connects to an address. A refused connection makes it unhealthy immediately; a timeout is only a failed
// request, because on an overloaded machine all addresses time out.
func (s *service) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	conn, err := (&net.Dialer{Timeout: dialTimeout}).DialContext(ctx, network, hostPort)
	if err == nil {
		return conn, nil
	}
	if ctx.Err() == nil {
		all := *s.addresses.Load()
		if i := slices.IndexFunc(all, func(a *address) bool { return a.hostPort == hostPort }); i >= 0 && !isTimeout(err) {
			s.recordCheck(all[i], unhealthy, err)
		}
		s.triggerCheck()
	}
	return nil, dialError{err}
}

// isTimeout reports whether err is a timeout.
func isTimeout(err error) bool {
	slow, ok := errors.AsType[net.Error](err)
	return ok && slow.Timeout()
}

// dialError reports that a request was not sent.
type dialError struct{ error }

func (e dialError) Unwrap() error { return e.error }

// Destruct implements caddy.Destructor.
func (s *service) Destruct() error {
	s.stop()
	s.running.Wait()
	s.setAddresses(nil)
	return nil
}
