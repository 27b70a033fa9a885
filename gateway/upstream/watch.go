package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	lookupInterval = time.Second
	lookupTimeout  = 2 * time.Second
	checkInterval  = 500 * time.Millisecond
	checkTimeout   = time.Second
	// checkPath is the readiness endpoint of a service: 2xx is ready.
	checkPath = "/readyz"
)

// watch runs lookups and health checks until Destruct. They run independently: a hanging name server delays no check.
func (s *service) watch() {
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	if ip, err := netip.ParseAddr(s.host); err == nil {
		s.setAddresses([]netip.Addr{ip})
	} else {
		s.running.Go(func() {
			failing := false
			every(ctx, lookupInterval, nil, func() { failing = s.lookUp(ctx, failing) })
		})
	}
	s.running.Go(func() { every(ctx, checkInterval, s.trigger, func() { s.checkAll(ctx) }) })
}

// every calls do at once, then at each interval or trigger, until ctx ends.
func every(ctx context.Context, interval time.Duration, trigger <-chan struct{}, do func()) {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		do()
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-trigger:
		}
	}
}

// lookUp looks up the addresses of the service's name and reports whether that failed; failing is the previous
// result. While it fails, the last addresses stay in use.
func (s *service) lookUp(ctx context.Context, failing bool) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := s.resolve(ctx, "ip", s.host)
	if err == nil && len(found) == 0 {
		err = errors.New("no addresses")
	}
	switch {
	case err != nil && !failing:
		s.logger.Error("lookup of the service fails; the last addresses stay in use", zap.Error(err))
	case err == nil && failing:
		s.logger.Info("lookup of the service works again")
	}
	if err != nil {
		return true
	}
	if s.setAddresses(found) {
		s.triggerCheck()
	}
	return false
}

// triggerCheck starts health checks without waiting for the interval.
func (s *service) triggerCheck() {
	select {
	case s.trigger <- struct{}{}:
	default:
	}
}

// checkAll checks every address.
func (s *service) checkAll(ctx context.Context) {
	var checks sync.WaitGroup
	for _, a := range *s.addresses.Load() {
		a.conns.expire(time.Now().Add(-keepIdle))
		checks.Go(func() {
			now, err := s.check(ctx, a)
			if ctx.Err() == nil {
				s.recordCheck(a, now, err)
			}
		})
	}
	checks.Wait()
}

// check requests the readiness of an address, on the port of requests and on a connection of its own: an internal port
// may respond while requests cannot get through.
func (s *service) check(ctx context.Context, a *address) (state, error) {
	ctx, cancel := context.WithTimeout(ctx, checkTimeout)
	defer cancel()
	request := (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: a.hostPort, Path: checkPath}, Host: s.name,
		Header: http.Header{"User-Agent": {"quayside-gateway"}},
	}).WithContext(ctx)
	response, err := s.checks.RoundTrip(request)
	switch {
	case err != nil && isTimeout(err):
		return a.afterTimeout(), err
	case err != nil:
		return unhealthy, err
	}
	_ = response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return suspect, fmt.Errorf("%s: %s", checkPath, response.Status)
	}
	return a.afterPass(), nil
}

// recordCheck sets the state of a, with err as the reason. It logs when an address becomes healthy and when it ceases
// to be.
func (s *service) recordCheck(a *address, now state, err error) {
	if err != nil {
		a.passes.Store(0)
	}
	switch before := a.setState(now); {
	case before == now:
	case now == healthy:
		s.logger.Info("address is healthy", zap.String("address", a.hostPort))
	case before != healthy && before != unknown:
	case now == unhealthy:
		s.logger.Warn("address is unhealthy", zap.String("address", a.hostPort), zap.Error(err))
	default:
		s.logger.Warn("address is suspect", zap.String("address", a.hostPort), zap.Error(err))
	}
}
