package introspect

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/netip"
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
	names  []netip.Addr
}

func withReplicas(t *testing.T, n int, test func(t *testing.T, r *replicas)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := &replicas{status: map[string]int{}}
		for i := range n {
			r.names = append(r.names, netip.AddrFrom4([4]byte{192, 0, 2, byte(i + 1)}))
		}
		r.Introspector = New(Config{
			Introspection: Parsed("https://tokens.example/introspect"),
			Now:           time.Now,
			Resolve:       func(context.Context, string, string) ([]netip.Addr, error) { return r.names, nil },
		})
		r.client.http.Transport = r
		r.client.endpoints.Start()
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
func (r *replicas) introspect(n int) (asked [2]int, failed int) {
	r.set(func() { r.asked = map[string]int{} })
	for range n {
		if _, err := r.client.introspect(context.Background(), probe); err != nil {
			failed++
		}
	}
	synctest.Wait()
	return [2]int{r.asked["192.0.2.1:443"], r.asked["192.0.2.2:443"]}, failed
}

// A failure costs no request while another address works, and ejects its address.
func TestAnotherAddressIsUsedWhenOneFails(t *testing.T) {
	for name, status := range map[string]int{"fails": http.StatusInternalServerError, "hangs": 0} {
		withReplicas(t, 2, func(t *testing.T, r *replicas) {
			if asked, failed := r.introspect(20); asked[0] != 10 || asked[1] != 10 || failed != 0 {
				t.Errorf("%s: %v, %d failed", name, asked, failed)
			}
			r.set(func() { r.status["192.0.2.1:443"] = status })
			if asked, failed := r.introspect(20); asked[0] != 1 || asked[1] < 19 || failed != 0 {
				t.Errorf("%s: %v, %d failed", name, asked, failed)
			}
		})
	}
	withReplicas(t, 1, func(t *testing.T, r *replicas) {
		r.set(func() { r.status["192.0.2.1:443"] = http.StatusInternalServerError })
		if asked, failed := r.introspect(3); asked[0] != 3 || failed != 3 {
			t.Errorf("the only address: %v, %d failed", asked, failed)
		}
	})
}

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
		r.client.http.Transport = roundTrip(func(*http.Request) (*http.Response, error) {
			return &http.Response{StatusCode: http.StatusNotFound, Body: body}, nil
		})
		if _, err := r.client.changes(t.Context(), unknownRevision); !errors.Is(err, ErrUnavailable) || !body.closed {
			t.Errorf("stream: %v, closed %t", err, body.closed)
		}
	})
}

func TestFailedLookupIsUnavailable(t *testing.T) {
	withReplicas(t, 0, func(t *testing.T, r *replicas) {
		if _, err := r.client.introspect(t.Context(), probe); !errors.Is(err, ErrUnavailable) {
			t.Errorf("error %v", err)
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
		i := New(Config{
			Introspection: Parsed("http://192.0.2.1/introspect"),
			Now:           time.Now,
		})
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

// closing is a body that notes its end.
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
