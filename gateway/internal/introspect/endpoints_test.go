package introspect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// replicas are tokens services at 192.0.2.1 to 192.0.2.n without a network, and an Introspector that knows them by
// one name, in a synctest bubble.
type replicas struct {
	*Introspector

	mu     sync.Mutex
	asked  map[string]int
	status map[string]int // response status instead of 200; 0: it hangs
	names  []netip.Addr   // nil: the lookup fails
}

func withReplicas(t *testing.T, n int, test func(t *testing.T, r *replicas)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &replicas{status: map[string]int{}}
		for i := range n {
			r.names = append(r.names, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}))
		}
		r.Introspector = New(Config{Introspection: Parsed("https://tokens.example/introspect"), Changes: Parsed("https://tokens.example/changes"), Now: time.Now})
		r.client.http.Transport = r
		r.client.endpoints.resolve = func(context.Context, string, string) ([]netip.Addr, error) {
			r.mu.Lock()
			defer r.mu.Unlock()
			if r.names == nil {
				return nil, errors.New("no such name")
			}
			return slices.Clone(r.names), nil
		}
		test(t, r)
		synctest.Wait()
		r.Close()
	})
}

// RoundTrip implements http.RoundTripper.
func (r *replicas) RoundTrip(request *http.Request) (*http.Response, error) {
	r.mu.Lock()
	r.asked[request.URL.Host]++
	status, configured := r.status[request.URL.Host]
	r.mu.Unlock()
	switch {
	case request.Host != "tokens.example":
		return nil, errors.New("Host is " + request.Host)
	case !configured:
		status = http.StatusOK
	case status == 0:
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	return &http.Response{StatusCode: status, Body: io.NopCloser(strings.NewReader(`{"active":false}`))}, nil
}

func (r *replicas) set(change func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	change()
}

// introspect introspects n times and returns the requests to each replica and the number of failures.
func (r *replicas) introspect(n int) (asked [3]int, failed int) {
	r.set(func() { r.asked = map[string]int{} })
	for range n {
		if _, err := r.client.introspect(context.Background(), probe); err != nil {
			failed++
		}
	}
	synctest.Wait()
	return [3]int{r.asked["192.0.2.1:443"], r.asked["192.0.2.2:443"], r.asked["192.0.2.3:443"]}, failed
}

func TestIntrospectionsAreSpreadOverAllAddresses(t *testing.T) {
	withReplicas(t, 3, func(t *testing.T, r *replicas) {
		want := func(what string, n int, asked [3]int, failed int) {
			t.Helper()
			if got, errs := r.introspect(n); got != asked || errs != failed {
				t.Errorf("%s: asked %v, %d failed; want %v, %d", what, got, errs, asked, failed)
			}
		}
		want("all good", 30, [3]int{10, 10, 10}, 0)
		r.set(func() { r.status["192.0.2.2:443"] = http.StatusInternalServerError })
		want("one answers 500", 2, [3]int{1, 1, 1}, 0)
		want("it is passed over", 30, [3]int{15, 0, 15}, 0)
		time.Sleep(minEjection)
		if got, failed := r.introspect(30); got[1] != 1 || got[0]+got[2] != 30 || failed != 0 {
			t.Errorf("it is tried again: asked %v, %d failed", got, failed)
		}
		r.set(func() { delete(r.status, "192.0.2.2:443") })
		time.Sleep(maxEjection)
		want("it works again", 30, [3]int{10, 10, 10}, 0)

		r.set(func() {
			for _, addr := range r.names {
				r.status[addr.String()+":443"] = http.StatusServiceUnavailable
			}
		})
		if got, failed := r.introspect(30); got[0] < 9 || got[1] < 9 || got[2] < 9 || failed != 30 {
			t.Errorf("while all fail, asked %v, %d failed", got, failed)
		}
		r.set(func() { clear(r.status) })
		if got, failed := r.introspect(30); failed != 0 {
			t.Errorf("after all failed: asked %v, %d failed", got, failed)
		}
	})
}

// A hung address delays one introspection. A retry, one at a time, leaves half of the time for another address.
func TestHungAddressIsEjected(t *testing.T) {
	withReplicas(t, 2, func(t *testing.T, r *replicas) {
		r.set(func() { r.status["192.0.2.1:443"] = 0 })
		if got, failed := r.introspect(10); failed != 1 || got[1] != 9 {
			t.Errorf("asked %v, %d failed", got, failed)
		}
		for range 3 {
			time.Sleep(maxEjection)
			start := time.Now()
			if got, failed := r.introspect(10); got != [3]int{1, 10} || failed != 0 || time.Since(start) != Timeout/2 {
				t.Errorf("asked %v in %v, %d failed", got, time.Since(start), failed)
			}
		}
	})
}

func TestOnlyAddressHasTheWholeTimeout(t *testing.T) {
	withReplicas(t, 1, func(t *testing.T, r *replicas) {
		r.set(func() { r.status["192.0.2.1:443"] = 0 })
		for range 2 { // suspect from the second time on
			start := time.Now()
			if got, failed := r.introspect(1); got[0] != 1 || failed != 1 || time.Since(start) != Timeout {
				t.Errorf("asked %v in %v, %d failed", got, time.Since(start), failed)
			}
		}
	})
}

func TestEjectedAddressIsTriedByOneRequestAtATime(t *testing.T) {
	withReplicas(t, 2, func(t *testing.T, r *replicas) {
		e := r.client.endpoints
		first, err := e.next(t.Context())
		if err != nil || first.suspect || !first.hasAlternative {
			t.Fatalf("%+v, %v", first, err)
		}
		e.record(first, false)
		for ejection := minEjection; ejection < maxEjection; ejection *= 2 {
			for _, wait := range []time.Duration{ejection - 1, 1} {
				time.Sleep(wait)
				suspects := 0
				for range 6 {
					to, err := e.next(t.Context())
					if err != nil || to.suspect != (to.addr == first.addr) || to.hasAlternative != to.suspect {
						t.Errorf("%+v, %v", to, err)
					}
					if to.suspect {
						suspects++
					}
				}
				if due := wait == 1; (suspects == 1) != due || suspects > 1 {
					t.Errorf("ejected for %v: tried by %d requests, due %t", ejection, suspects, due)
				}
			}
			e.record(first, false)
		}
	})
}

func TestOneLookupIsInFlightAtATime(t *testing.T) {
	withReplicas(t, 1, func(t *testing.T, r *replicas) {
		r.introspect(1)
		var lookups atomic.Int64
		e := r.client.endpoints
		e.resolve = func(ctx context.Context, _, _ string) ([]netip.Addr, error) {
			lookups.Add(1)
			<-ctx.Done()
			return nil, ctx.Err()
		}
		for round := int64(1); round <= 3; round++ {
			time.Sleep(lookupInterval)
			for range 5 {
				if _, err := e.next(t.Context()); err != nil {
					t.Error(err)
				}
				synctest.Wait()
			}
			if n := lookups.Load(); n != round {
				t.Errorf("%d lookups, want %d", n, round)
			}
			time.Sleep(lookupTimeout)
			synctest.Wait()
		}
	})
}

func TestLookupSortsAddressesAndForgetsFailuresOfOthers(t *testing.T) {
	t.Parallel()

	addrs := func(texts ...string) (all []netip.Addr) {
		for _, text := range texts {
			all = append(all, netip.MustParseAddr(text))
		}
		return all
	}
	var found []netip.Addr
	e := newEndpoints(&url.URL{Scheme: "http", Host: "tokens"})
	e.resolve = func(context.Context, string, string) ([]netip.Addr, error) { return found, nil }
	if got, err := e.lookUp(t.Context()); err == nil {
		t.Errorf("no addresses: %v", got)
	}
	found = addrs("192.0.2.2", "::ffff:192.0.2.1", "192.0.2.1")
	got, err := e.lookUp(t.Context())
	if want := addrs("192.0.2.1", "192.0.2.2"); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	for _, addr := range got {
		e.record(endpoint{addr: addr}, false)
	}
	found = addrs("192.0.2.2", "192.0.2.3")
	if _, err := e.lookUp(t.Context()); err != nil || len(e.failures) != 1 || e.failures[got[1]].inARow != 1 {
		t.Errorf("%+v, %v", e.failures, err)
	}
}

// closing is a body that knows when it is closed.
type closing struct {
	io.Reader

	closed bool
}

func (c *closing) Close() error {
	c.closed = true
	return nil
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Otherwise a response that is too long would keep its connection.
func TestBodyOfEveryResponseIsClosed(t *testing.T) {
	withReplicas(t, 1, func(t *testing.T, r *replicas) {
		for _, status := range []int{http.StatusOK, http.StatusNotFound} {
			body := &closing{Reader: strings.NewReader(strings.Repeat(" ", 2*maxResultBytes))}
			r.client.http.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: status, Body: body}, nil
			})
			if _, err := r.client.introspect(t.Context(), probe); !errors.Is(err, ErrUnavailable) || !body.closed {
				t.Errorf("status %d: %v, closed %t", status, err, body.closed)
			}
		}
		body := new(closing)
		r.client.streams.resolve = r.client.endpoints.resolve
		r.client.http.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusNotFound, Body: body}, nil
		})
		if _, err := r.client.changes(t.Context(), unknownRevision); !errors.Is(err, ErrUnavailable) || !body.closed {
			t.Errorf("stream: %v, closed %t", err, body.closed)
		}
	})
}

func TestAddressesFollowTheName(t *testing.T) {
	withReplicas(t, 3, func(t *testing.T, r *replicas) {
		all := r.names
		r.set(func() { r.names = all[:1] })
		if got, failed := r.introspect(6); got != [3]int{6} || failed != 0 {
			t.Errorf("one address: asked %v", got)
		}
		r.set(func() { r.names = all })
		time.Sleep(lookupInterval)
		_, _ = r.introspect(1) // starts a lookup in the background
		if got, failed := r.introspect(6); got != [3]int{2, 2, 2} || failed != 0 {
			t.Errorf("three addresses: asked %v", got)
		}
		r.set(func() { r.names = nil })
		time.Sleep(lookupInterval)
		if got, failed := r.introspect(6); got != [3]int{2, 2, 2} || failed != 0 {
			t.Errorf("while looking up fails: asked %v, %d failed", got, failed)
		}
	})
}

func TestFailedLookupIsUnavailable(t *testing.T) {
	withReplicas(t, 1, func(t *testing.T, r *replicas) {
		names := r.names
		r.set(func() { r.names = nil })
		r.asked = map[string]int{}
		if _, err := r.client.introspect(t.Context(), probe); !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v", err)
		}
		r.set(func() { r.names = names })
		if _, failed := r.introspect(1); failed != 0 {
			t.Error("the name is not looked up again")
		}
	})
}

// hanging never responds, and counts requests.
type hanging struct{ inFlight, most, all atomic.Int64 }

func (h *hanging) RoundTrip(request *http.Request) (*http.Response, error) {
	h.all.Add(1)
	if n := h.inFlight.Add(1); n > h.most.Load() {
		h.most.Store(n)
	}
	defer h.inFlight.Add(-1)
	<-request.Context().Done()
	return nil, request.Context().Err()
}

// Introspections that find no free slot in time are a fault and never "inactive".
func TestIntrospectionsInFlightAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		i := New(Config{Introspection: Parsed("http://192.0.2.1/introspect"), Changes: Parsed("http://192.0.2.1/changes"), Now: time.Now})
		transport := new(hanging)
		i.client.http.Transport = transport
		errs := make(chan error, 1000)
		for range cap(errs) {
			go func() {
				_, err := i.client.introspect(t.Context(), probe)
				errs <- err
			}()
		}
		synctest.Wait()
		if n := transport.inFlight.Load(); n != maxInFlight {
			t.Errorf("%d are in flight", n)
		}
		start := time.Now()
		for range cap(errs) {
			if err := <-errs; !errors.Is(err, ErrUnavailable) {
				t.Errorf("error %v", err)
			}
		}
		if took := time.Since(start); took > Timeout || transport.most.Load() != maxInFlight {
			t.Errorf("took %v, at most %d were in flight", took, transport.most.Load())
		}
		i.Close()
	})
}

func TestEndpointsUseTheSchemesPort(t *testing.T) {
	t.Parallel()

	for text, want := range map[string]string{
		"http://tokens/x": "80", "https://tokens/x": "443", "http://tokens:9082/x": "9082", "http://[::1]:1/x": "1",
	} {
		u, err := url.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if e := newEndpoints(u); e.port != want {
			t.Errorf("%s: port %s", text, e.port)
		}
	}
	u, _ := url.Parse("http://[::1]:9082/x")
	if to, err := newEndpoints(u).next(t.Context()); err != nil || to.hostPort != "[::1]:9082" || to.hasAlternative {
		t.Errorf("%+v, %v", to, err)
	}
}
