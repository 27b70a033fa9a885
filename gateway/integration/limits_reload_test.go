package integration

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// limitedRoute is a file of routes with limits on all of a service's requests.
func limitedRoute(service, name, limits string) string {
	return fmt.Sprintf("handle /api/v1/further/* {\n\tlimits %s {\n\t\t%s\n\t}\n\tservice further %s {\n\t\tanswer_within 20s\n\t}\n}\n", name, limits, service)
}

// routeLoad is clients that send GETs all the time, each on a connection of its own.
type routeLoad struct {
	allowed atomic.Int64
	refused sync.Map    // the policies that refused a request
	failed  sync.Map    // what else became of one
	slow    atomic.Bool // Redis was too slow for a request
}

func (l *routeLoad) send(client *http.Client, request *http.Request) {
	response, err := client.Do(request)
	if err != nil {
		l.failed.Store(err.Error(), true)
		return
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	switch {
	case err == nil && response.StatusCode == http.StatusOK:
		l.allowed.Add(1)
	case err == nil && response.StatusCode == http.StatusTooManyRequests:
		l.refused.Store(response.Header.Get("RateLimit-Policy"), true)
	case response.StatusCode == http.StatusServiceUnavailable && strings.Contains(string(body), `"limiter_unavailable"`):
		l.slow.Store(true)
	default:
		l.failed.Store(fmt.Sprintf("%s %s %v", response.Status, body, err), true)
	}
}

// A reload with other limits loses no request, among them those in flight; it continues the windows, and the limits
// apply to them at once.
func TestChangedLimitsApplyToTheWindowsThatHaveBegun(t *testing.T) {
	t.Parallel()

	undisturbed(t, func() bool {
		dir := t.TempDir()
		g := start(t, options{env: map[string]string{"SERVICE_ROUTES": dir + "/*.caddy"}})
		began, finish := make(chan struct{}), make(chan struct{})
		service := furtherService(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/slow") {
				began <- struct{}{}
				<-finish
			}
		}))
		name := fmt.Sprintf("further-%d", rand.Uint32())
		limit := func(n int) { g.addRoutes(t, dir, limitedRoute(service, name, fmt.Sprintf("organization %d 24h", n))) }
		limit(300)
		token, _ := g.tokens.create(plenty)
		g.introspect(t, token)

		var l routeLoad
		disturbed := func() bool { return l.slow.Load() || g.disturbed() }
		slow := make(chan struct{})
		go func() {
			defer close(slow)
			l.send(http.DefaultClient, g.request(t, "/api/v1/further/slow", "", token))
		}()
		<-began
		var clients sync.WaitGroup
		stop := make(chan struct{})
		for range 4 {
			clients.Go(func() {
				client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
				defer client.CloseIdleConnections()
				for {
					select {
					case <-stop:
						return
					default:
						l.send(client, g.request(t, "/api/v1/further/x", "", token))
					}
				}
			})
		}
		refusedBy := func(n int) {
			policy := fmt.Sprintf(`"%s";q=%d;w=86400`, name, n)
			eventually(t, func() bool { _, ok := l.refused.Load(policy); return ok || disturbed() }, "a refusal by "+policy, g.log)
		}
		eventually(t, func() bool { return l.allowed.Load() > 100 || disturbed() }, "requests", g.log)
		limit(400) // before the window is empty
		close(finish)
		<-slow
		refusedBy(400)
		limit(450) // when it is
		refusedBy(450)
		total := l.allowed.Load()
		limit(10)
		refusedBy(10)
		close(stop)
		clients.Wait()
		if disturbed() {
			return false
		}
		if now := l.allowed.Load(); total != 450 || now != 450 {
			t.Errorf("%d requests were allowed at a limit of 450, and %d in the end", total, now)
		}
		l.failed.Range(func(why, _ any) bool {
			t.Errorf("a request failed: %v", why)
			return true
		})
		return true
	})
}

// Requests in flight count as such for the configuration after a reload, too.
func TestRequestsInFlightAreLimitedOverAReload(t *testing.T) {
	t.Parallel()

	dir := t.TempDir()
	g := start(t, options{env: map[string]string{"SERVICE_ROUTES": dir + "/*.caddy"}})
	began, finish := make(chan struct{}), make(chan struct{})
	service := furtherService(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		began <- struct{}{}
		<-finish
	}))
	routes := limitedRoute(service, "in-flight", "concurrent 1")
	g.addRoutes(t, dir, routes)
	token, _ := g.tokens.create(plenty)
	get := func() answer { return g.get(t, "/api/v1/further/x", "", token) }

	first := make(chan answer, 1)
	go func() { first <- get() }()
	<-began
	g.addRoutes(t, dir, routes+"# changed\n")
	if a := get(); a.StatusCode != http.StatusTooManyRequests || a.problem(t)["code"] != "concurrency_limited" {
		t.Errorf("a second request: %s", a.Status)
	}
	close(finish)
	if a := <-first; a.StatusCode != http.StatusOK {
		t.Errorf("the first request: %s", a.Status)
	}
	go func() { <-began }()
	if a := get(); a.StatusCode != http.StatusOK {
		t.Errorf("after its end: %s", a.Status)
	}
}
