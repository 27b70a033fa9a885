// Package discovery follows the addresses of a service's name and chooses one for each request.
//
// Guarantees:
//
//   - Discovery: every address of the name is used, a new one within a second. While the lookup fails, the last
//     addresses stay in use.
//   - Health checks: an address that refuses a connection is unhealthy immediately, one that is not ready within half
//     a second, one that times out within one and a half.
//   - Outlier detection: an address whose requests fail consecutively is ejected for 10 s, never more than half of the
//     addresses.
//   - Load balancing: least connections among the healthy addresses.
package discovery

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Resolver looks up the addresses of a host.
type Resolver func(ctx context.Context, network, host string) ([]netip.Addr, error)

// Config is the configuration of a Service. Zero values have defaults, except for Name.
type Config struct {
	// Name is host:port. The host may have several addresses.
	Name string
	// CheckPath is requested by health checks, on the port of requests; a 2xx status passes. Default: no checks
	CheckPath string
	// EjectAfter is the number of consecutive failures after which an address is ejected. Default: 5
	EjectAfter int
	// OnEject is called for each ejection.
	OnEject func()
	// DialTimeout bounds connecting. Default: 250ms
	DialTimeout time.Duration
	// CheckTimeout bounds a health check. Default: 1s
	CheckTimeout time.Duration
	// Resolve looks up the addresses of a host. Default: that of net.DefaultResolver
	Resolve Resolver
	// Logger returns the logger to use, which may change with the configuration.
	Logger func() *zap.Logger
}

// Service is a service with its addresses and their state. It is safe for concurrent use. Create it with [New].
type Service struct {
	config     Config
	host, port string
	logger     func() *zap.Logger
	checks     *http.Transport

	addresses atomic.Pointer[[]*Address] // never changed, only replaced
	turn      atomic.Uint64              // round robin among equal addresses
	trigger   chan struct{}              // requests health checks now
	ejecting  sync.Mutex                 // serializes the decision to eject
	available atomic.Pointer[Availability]

	starting sync.Once
	lookedUp chan struct{} // closed after the first lookup
	stop     context.CancelFunc
	running  sync.WaitGroup
}

// New returns a Service, which connects to nothing before Start.
func New(config Config) (*Service, error) {
	host, port, err := net.SplitHostPort(config.Name)
	if err != nil {
		return nil, fmt.Errorf("%s is not host:port: %w", config.Name, err)
	}
	config.EjectAfter = cmp.Or(config.EjectAfter, 5)
	config.DialTimeout = cmp.Or(config.DialTimeout, 250*time.Millisecond)
	config.CheckTimeout = cmp.Or(config.CheckTimeout, time.Second)
	if config.Resolve == nil {
		config.Resolve = net.DefaultResolver.LookupNetIP
	}
	s := &Service{
		config: config, host: host, port: port,
		logger:  func() *zap.Logger { return config.Logger().With(zap.String("service", config.Name)) },
		trigger: make(chan struct{}, 1), lookedUp: make(chan struct{}), stop: func() {},
	}
	s.checks = &http.Transport{
		DialContext:       (&net.Dialer{Timeout: config.DialTimeout}).DialContext,
		DisableKeepAlives: true,
	}
	s.addresses.Store(new([]*Address))
	s.available.Store(new(Availability))
	if ip, err := netip.ParseAddr(host); err == nil {
		s.setAddresses([]netip.Addr{ip})
		close(s.lookedUp)
	}
	return s, nil
}

// Name returns the configured host:port.
func (s *Service) Name() string { return s.config.Name }

// Wait returns when the first lookup has ended, or ctx does. Start must have been called.
func (s *Service) Wait(ctx context.Context) {
	select {
	case <-s.lookedUp:
	case <-ctx.Done():
	}
}

// Count returns the number of addresses by state.
func (s *Service) Count() map[State]int {
	count, now := map[State]int{}, time.Now()
	for _, a := range *s.addresses.Load() {
		count[a.stateAt(now)]++
	}
	return count
}

// Availability is whether any address passes its health checks, and since when; the zero time before the first ones.
type Availability struct {
	Available bool
	Since     time.Time
}

// Availability returns that of the last health checks.
func (s *Service) Availability() Availability { return *s.available.Load() }

// noteAvailability follows health checks.
func (s *Service) noteAvailability() {
	now := Availability{s.Count()[Healthy] > 0, time.Now()}
	if before := s.Availability(); before.Since.IsZero() || before.Available != now.Available {
		s.available.Store(&now)
	}
}

// setAddresses replaces the addresses and reports whether any is new. Known addresses keep their state.
func (s *Service) setAddresses(found []netip.Addr) (more bool) {
	next := make([]*Address, 0, len(found))
	for _, ip := range found {
		hostPort := net.JoinHostPort(ip.Unmap().String(), s.port)
		if slices.ContainsFunc(next, func(a *Address) bool { return a.HostPort == hostPort }) {
			continue
		}
		a := s.Address(hostPort)
		if a == nil {
			a = &Address{HostPort: hostPort, service: s}
			a.setState(Unknown)
			more = true
		}
		next = append(next, a)
	}
	s.addresses.Store(&next)
	return more
}

// Address returns the address at hostPort, or nil.
func (s *Service) Address(hostPort string) *Address {
	all := *s.addresses.Load()
	if i := slices.IndexFunc(all, func(a *Address) bool { return a.HostPort == hostPort }); i >= 0 {
		return all[i]
	}
	return nil
}
