package introspect

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"sync"
	"time"
)

const (
	// lookupInterval is the age at which the addresses of a name are looked up again.
	lookupInterval = time.Second
	lookupTimeout  = 2 * time.Second
	// An ejection lasts minEjection, doubled with each consecutive failure up to maxEjection.
	minEjection = time.Second
	maxEjection = 30 * time.Second
)

// endpoint is one address of the tokens service.
type endpoint struct {
	addr     netip.Addr
	hostPort string
	// suspect reports that its last request failed.
	suspect bool
	// hasAlternative reports that another address did not fail.
	hasAlternative bool
}

// endpoints are the addresses of the tokens service, used in turn. A failed one is ejected for a time, unless all
// failed (outlier detection). While the lookup fails, the last addresses stay in use.
type endpoints struct {
	host, port string
	resolve    func(ctx context.Context, network, host string) ([]netip.Addr, error)
	now        func() time.Time

	mu       sync.Mutex
	addrs    []netip.Addr
	lookedUp time.Time
	looking  bool
	turn     int
	failures map[netip.Addr]failures
}

// failures counts the failures of an address.
type failures struct {
	inARow int
	until  time.Time
}

func newEndpoints(service *url.URL) *endpoints {
	return &endpoints{
		host: service.Hostname(), port: cmp.Or(service.Port(), map[string]string{"http": "80", "https": "443"}[service.Scheme]),
		resolve: net.DefaultResolver.LookupNetIP, now: time.Now, failures: make(map[netip.Addr]failures),
	}
}

// next returns the next endpoint. The error is that of the lookup, if no address is known.
func (e *endpoints) next(ctx context.Context) (endpoint, error) {
	known, err := e.addresses(ctx)
	if err != nil {
		return endpoint{}, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	now, good := e.now(), 0
	var usable []netip.Addr // not failed, or due for another try
	for _, addr := range known {
		f, failed := e.failures[addr]
		if !failed {
			good++
		}
		if !failed || !now.Before(f.until) {
			usable = append(usable, addr)
		}
	}
	if len(usable) == 0 {
		usable = known
	}
	e.turn++
	addr := usable[e.turn%len(usable)]
	f, failed := e.failures[addr]
	if failed {
		f.until = now.Add(f.ejection()) // one request at a time tries it
		e.failures[addr] = f
	} else {
		good--
	}
	return endpoint{addr: addr, hostPort: net.JoinHostPort(addr.String(), e.port), suspect: failed, hasAlternative: good > 0}, nil
}

// ejection returns how long the address is ejected.
func (f failures) ejection() time.Duration {
	return min(minEjection<<min(f.inARow-1, 10), maxEjection)
}

// record records the result of a request to an endpoint.
func (e *endpoints) record(used endpoint, ok bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if ok {
		delete(e.failures, used.addr)
		return
	}
	f := e.failures[used.addr]
	f.inARow++
	f.until = e.now().Add(f.ejection())
	e.failures[used.addr] = f
}

// addresses returns the addresses of the name. Only the first caller waits for the lookup; later ones run in the
// background.
func (e *endpoints) addresses(ctx context.Context) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(e.host); err == nil {
		return []netip.Addr{addr}, nil
	}
	e.mu.Lock()
	known := e.addrs
	due := !e.looking && e.now().Sub(e.lookedUp) >= lookupInterval
	e.looking = e.looking || due && len(known) > 0
	e.mu.Unlock()
	switch {
	case len(known) == 0:
		return e.lookUp(ctx)
	case due:
		go func() {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookupTimeout)
			defer cancel()
			_, _ = e.lookUp(ctx)
		}()
	}
	return known, nil
}

// lookUp looks up the name and stores the addresses.
func (e *endpoints) lookUp(ctx context.Context) ([]netip.Addr, error) {
	found, err := e.resolve(ctx, "ip", e.host)
	if err == nil && len(found) == 0 {
		err = errors.New("the name has no addresses")
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.looking, e.lookedUp = false, e.now()
	if err != nil {
		return nil, err
	}
	for i := range found {
		found[i] = found[i].Unmap()
	}
	slices.SortFunc(found, netip.Addr.Compare)
	e.addrs = slices.Compact(found)
	for addr := range e.failures {
		if !slices.Contains(e.addrs, addr) {
			delete(e.failures, addr)
		}
	}
	return e.addrs, nil
}
