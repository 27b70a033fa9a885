package discovery

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"

	"go.uber.org/zap"
)

const (
	lookupInterval = time.Second
	lookupTimeout  = 2 * time.Second
	checkInterval  = 500 * time.Millisecond
)

// Start begins lookups and health checks, unless they have begun, until Close. They run independently: a hanging name
// server delays no check.
func (s *Service) Start() {
	s.starting.Do(func() {
		ctx, stop := context.WithCancel(context.Background())
		s.stop = stop
		if len(*s.addresses.Load()) == 0 {
			s.running.Go(func() {
				failing, first := false, true
				every(ctx, lookupInterval, nil, func() {
					failing = s.lookUp(ctx, failing)
					if first {
						first = false
						close(s.lookedUp)
					}
				})
			})
		}
		if s.config.CheckPath != "" {
			s.running.Go(func() { every(ctx, checkInterval, s.trigger, func() { s.checkAll(ctx) }) })
		}
	})
}

// Close ends what Start began.
func (s *Service) Close() {
	s.starting.Do(func() {})
	s.stop()
	s.running.Wait()
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
func (s *Service) lookUp(ctx context.Context, failing bool) bool {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	found, err := s.config.Resolve(ctx, "ip", s.host)
	if err == nil && len(found) == 0 {
		err = errors.New("no addresses")
	}
	switch {
	case err != nil && !failing:
		s.logger().Error("lookup of the service fails; the last addresses stay in use", zap.Error(err))
	case err == nil && failing:
		s.logger().Info("lookup of the service works again")
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
func (s *Service) triggerCheck() {
	select {
	case s.trigger <- struct{}{}:
	default:
	}
}

// checkAll checks every address.
func (s *Service) checkAll(ctx context.Context) {
	var checks sync.WaitGroup
	for _, a := range *s.addresses.Load() {
		checks.Go(func() {
			now, err := s.check(ctx, a)
			if ctx.Err() == nil {
				s.recordCheck(a, now, err)
			}
		})
	}
	checks.Wait()
	s.noteAvailability()
}

// check requests the readiness of an address, on the port of requests and on a connection of its own: an internal port
// may respond while requests cannot get through.
func (s *Service) check(ctx context.Context, a *Address) (State, error) {
	ctx, cancel := context.WithTimeout(ctx, s.config.CheckTimeout)
	defer cancel()
	request := (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Scheme: "http", Host: a.HostPort, Path: s.config.CheckPath},
		Host: s.config.Name, Header: http.Header{"User-Agent": {"quayside-gateway"}},
	}).WithContext(ctx)
	response, err := s.checks.RoundTrip(request)
	switch {
	case err != nil && IsTimeout(err):
		return Suspect, err
	case err != nil:
		return Unhealthy, err
	}
	_ = response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return Suspect, fmt.Errorf("%s: %s", s.config.CheckPath, response.Status)
	}
	return Healthy, nil
}

// recordCheck sets the state of a, with err as the reason. It logs when an address becomes healthy and when it ceases
// to be.
func (s *Service) recordCheck(a *Address, now State, err error) {
	switch before := a.setState(now); {
	case before == now:
	case now == Healthy:
		s.logger().Info("address is healthy", zap.String("address", a.HostPort))
	case before != Healthy && before != Unknown:
	case now == Unhealthy:
		s.logger().Warn("address is unhealthy", zap.String("address", a.HostPort), zap.Error(err))
	default:
		s.logger().Warn("address is suspect", zap.String("address", a.HostPort), zap.Error(err))
	}
}

// IsTimeout reports whether err is a timeout.
func IsTimeout(err error) bool {
	slow, ok := errors.AsType[net.Error](err)
	return ok && slow.Timeout()
}
