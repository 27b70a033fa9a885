package tokengate

import (
	"net/http"
	"net/netip"

	"github.com/quayside/quayside/gateway/internal/inuse"
)

// Bounds of the requests in flight that are not known to have a valid token, in this process and from one client.
// Such a request takes up to 100 KiB while its client does not read the response, and costs the client next to nothing.
const (
	maxAnonymous       = 1024
	maxAnonymousClient = maxAnonymous / 4
)

// anonymous counts these requests. It belongs to the process, so that those of before a reload count.
var anonymous inuse.Counter

// enter counts a request as anonymous until the function that it returns is called, which may be called again. At a
// bound the request is aborted: a response would have to wait for the client, too.
func enter(caller netip.Addr) (leave func()) {
	client, entered := inuse.ClientAt(caller), true
	if !anonymous.Enter(client, maxAnonymous, maxAnonymousClient) {
		requestsTotal.WithLabelValues("overloaded").Inc()
		panic(http.ErrAbortHandler)
	}
	return func() {
		if entered {
			entered = false
			anonymous.Leave(client)
		}
	}
}
