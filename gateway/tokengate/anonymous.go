package tokengate

import (
	"net/http"
	"net/netip"
	"sync/atomic"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// Bounds of the requests in flight that are not known to have a valid token, in this process and from one address.
// Such a request takes up to 100 KiB while its client does not read the response, and costs the client next to nothing.
const (
	maxAnonymous        = 1024
	maxAnonymousAddress = maxAnonymous / 4
)

// anonymous is the number of these requests.
var anonymous atomic.Int64

// enter counts a request of caller as anonymous until leave. At the bound, a request passes uncounted if its token is
// known; any other is aborted: a response would have to wait for the client, too.
func (w *responseWriter) enter(caller netip.Addr, authorization []string) {
	of := flight{"anonymous", addressCounts("", caller, ratelimit.Quota{})[0].id}
	if !inFlight.begin(of, maxAnonymousAddress) {
		w.abortUnknown(authorization)
		return
	}
	if w.anonymous = of; anonymous.Add(1) > maxAnonymous {
		w.leave()
		w.abortUnknown(authorization)
	}
}

// leave ends what enter began. It may be called again.
func (w *responseWriter) leave() {
	if w.anonymous != (flight{}) {
		anonymous.Add(-1)
		inFlight.end(w.anonymous)
		w.anonymous = flight{}
	}
}

// abortUnknown aborts a request without a token that is known to be active.
func (w *responseWriter) abortUnknown(authorization []string) {
	if text, err := w.gate.tokenFormat.Read(authorization); err == nil {
		if token, usable := w.gate.tokens.Cached(text); usable && token.Active {
			return
		}
	}
	requestsTotal.WithLabelValues("overloaded").Inc()
	panic(http.ErrAbortHandler)
}
