package tokengate

import (
	"context"
	"errors"
	"net/http"
	"net/netip"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// publicQuota is the window of a client address for public paths, in each gateway by itself: what is cheap to serve
// is not worth a call to Redis.
var publicQuota = ratelimit.Quota{Limit: 600, Window: time.Minute}

// admitPublic counts a request for a public path and refuses what does not read it.
func (g *Gate) admitPublic(out *responseWriter, r *http.Request, caller netip.Addr) *problem {
	if refused := g.countPublic(r.Context(), out, caller); refused != nil {
		return refused
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		out.Header().Set("Allow", "GET, HEAD")
		p := problemOf(caddyhttp.Error(http.StatusMethodNotAllowed, errors.New("public paths are only read")))
		return &p
	}
	requestsTotal.WithLabelValues("public").Inc()
	return nil
}

// countPublic counts a request of caller in this gateway's own window, and returns how it is refused if that is
// empty.
func (g *Gate) countPublic(ctx context.Context, out *responseWriter, caller netip.Addr) *problem {
	return g.countOpen(ctx, out, caller, publicWindow, publicQuota, g.windows.TakeLocal)
}

// countOpen counts a request without a token in the windows of its address, and returns how it is refused if one is
// empty.
func (g *Gate) countOpen(
	ctx context.Context, out *responseWriter, caller netip.Addr, policy string, quota ratelimit.Quota, take takeFunc,
) *problem {
	var err error
	out.window, err = countAddress(ctx, policy, caller, quota, take)
	decided(policy, out.window.Result, err)
	if err == nil && !out.window.Allowed {
		return addressLimited.until(out.window)
	}
	return nil
}
