package integration

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// balancer opens connections to the first gateway that is ready, as a load balancer that checks readiness every 100 ms.
type balancer struct {
	gateways []*gateway
	ready    []atomic.Bool
}

func newBalancer(t *testing.T, gateways ...*gateway) *balancer {
	t.Helper()
	b := &balancer{gateways: gateways, ready: make([]atomic.Bool, len(gateways))}
	check := func() {
		for i, g := range gateways {
			response, err := http.Get(g.inner + "/readyz")
			b.ready[i].Store(err == nil && response.StatusCode == http.StatusOK)
			if err == nil {
				_ = response.Body.Close()
			}
		}
	}
	check()
	end, ended := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() { close(end); <-ended })
	go func() {
		defer close(ended)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-end:
				return
			case <-tick.C:
				check()
			}
		}
	}()
	return b
}

func (b *balancer) dial(ctx context.Context, network, _ string) (net.Conn, error) {
	for i, g := range b.gateways {
		if b.ready[i].Load() {
			return new(net.Dialer).DialContext(ctx, network, strings.TrimPrefix(g.url, "http://"))
		}
	}
	return nil, errors.New("no gateway is ready")
}

// The documented set-up: a load balancer that follows /readyz, and a GATEWAY_SHUTDOWN_DELAY that is longer than its
// interval. No connection is in the accept queue when the listener closes, so SIGTERM loses no request, with keep-alive
// and without.
func TestSIGTERMBehindABalancerLosesNoRequest(t *testing.T) {
	t.Parallel()

	service := newReplica(t, 1, "")
	env := map[string]string{"SHIPMENTS_PORT": service.port, "REDIS_DOWN": "allow", "GATEWAY_SHUTDOWN_DELAY": "2s"}
	going := start(t, options{env: env})
	staying := start(t, options{env: env, tokens: going.tokens})
	token, _ := going.tokens.create(plenty)
	b := newBalancer(t, going, staying)
	if !b.ready[0].Load() || !b.ready[1].Load() {
		t.Fatal("a gateway is not ready")
	}
	loads := map[string]*load{
		"keep their connections": loadBy(t, &http.Transport{MaxIdleConnsPerHost: 1, DialContext: b.dial}, going.url, token),
		"connect for each request": loadBy(t, &http.Transport{DisableKeepAlives: true, DialContext: b.dial}, going.url,
			token),
	}
	for _, l := range loads {
		eventually(t, func() bool { return l.sent.Load() > 200 }, "requests", going.log)
	}
	if err := going.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	going.waitForLog(t, "shutdown complete")
	for clients, l := range loads {
		l.end()
		if lost := l.unanswered.Load(); lost > 0 {
			t.Errorf("of clients that %s %d of %d requests were lost: %v", clients, lost, l.sent.Load(), l.reasons())
		}
	}
}
