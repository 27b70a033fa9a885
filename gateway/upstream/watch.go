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
	// checkPath is where a service says whether it is ready, with 2xx or not.
	checkPath = "/readyz"
)

// watch keeps the addresses, and what is known of them, up to date until Destruct. Both go on side by side: a
// name server that hangs holds up no check.
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

// every calls do at once, then at each interval or nudge, until ctx ends.
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

// lookUp asks for the addresses of the service's name, and reports whether that failed, given whether it did
// before. Addresses that were good a moment ago are better than none.
func (s *service) lookUp(ctx context.Context, failing bool) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := s.resolve(ctx, "ip", s.host)
	if err == nil && len(found) == 0 {
		err = errors.New("no addresses")
	}
	switch {
	case err != nil && !failing:
		s.logger.Error("looking up the service fails; its last addresses stay in use", zap.Error(err))
	case err == nil && failing:
		s.logger.Info("looking up the service works again")
	}
	if err != nil {
		return true
	}
	if s.setAddresses(found) {
		s.triggerCheck()
	}
	return false
}

// checkNow asks for checks without waiting for their time.
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

// check asks an address for its readiness, on the port that requests go to and on a connection of its own: an inner
// port may answer while requests cannot get through. An address that is not ready, or about to end, still takes
// requests when no address is better.
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
		return suspect, fmt.Errorf("%s answers %s", checkPath, response.Status)
	}
	return a.afterPass(), nil
}

// note sets the state of a, with err as the reason. One line is logged when it becomes good and when it is no longer
// good.
func (s *service) recordCheck(a *address, now state, err error) {
	if err != nil {
		a.passes.Store(0)
	}
	switch before := a.setState(now); {
	case before == now:
	case now == healthy:
		s.logger.Info("address is used", zap.String("address", a.hostPort))
	case before != healthy && before != unknown:
	case now == unhealthy:
		s.logger.Warn("address is not used", zap.String("address", a.hostPort), zap.Error(err))
	default:
		s.logger.Warn("address is used if there is no other", zap.String("address", a.hostPort), zap.Error(err))
	}
}
