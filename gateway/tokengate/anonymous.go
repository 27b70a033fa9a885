package tokengate

import (
	"net/http"
	"net/netip"
	"sync"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// Bounds of the requests in flight that are not known to have a valid token, in this process and from one address.
// Such a request takes up to 100 KiB while its client does not read the response, and costs the client next to nothing.
const (
	maxAnonymous        = 1024
	maxAnonymousAddress = maxAnonymous / 4
)

// anonymous counts these requests. It belongs to the process, so that those of before a reload count.
var anonymous = flights{byAddress: make(map[string]int)}

type flights struct {
	mu        sync.Mutex
	total     int
	byAddress map[string]int
}

// begin counts one more request of an address, unless a bound is reached, and reports whether it did.
func (f *flights) begin(address string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.total >= maxAnonymous || f.byAddress[address] >= maxAnonymousAddress {
		return false
	}
	f.total++
	f.byAddress[address]++
	return true
}

// end is the inverse of begin.
func (f *flights) end(address string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.total--
	if f.byAddress[address]--; f.byAddress[address] == 0 {
		delete(f.byAddress, address)
	}
}

// enter counts a request of caller as anonymous until leave. At the bound, a request passes uncounted if its token is
// known; any other is aborted: a response would have to wait for the client, too.
func (w *responseWriter) enter(caller netip.Addr, authorization []string) {
	of := addressCounts("", caller, ratelimit.Quota{})[0].id
	if anonymous.begin(of) {
		w.anonymous = of
		return
	}
	if text, err := bearer.Read(authorization); err == nil {
		if token, usable := w.gate.tokens.Cached(text); usable && token.Active {
			return
		}
	}
	requestsTotal.WithLabelValues("overloaded").Inc()
	panic(http.ErrAbortHandler)
}

// leave ends what enter began. It may be called again.
func (w *responseWriter) leave() {
	if w.anonymous != "" {
		anonymous.end(w.anonymous)
		w.anonymous = ""
	}
}
