package tokengate

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// door stands in front of the Caddy server that a gate comes first in, and refuses what needs nobody's help to be
// refused: requests without a token that could be one, and those of tokens whose window is known to be empty.
// These are what floods consist of, and making a request ready for Caddy's handlers costs more than refusing it.
//
// A door lets nobody through: what it does not refuse, the gate sees as if there were no door. What the door
// would have to understand first, such as a request with a body, a word of a proxy about the client's address or
// a path that is not plain, it leaves to the gate.
type door struct {
	gate   *Gate
	server *caddyhttp.Server
	inner  http.Handler
}

// setDoor sets a door in front of the server that g is provisioned for, when its first connection comes: earlier
// it is not known whether g comes first in it, and a gate that does not has none.
func (g *Gate) setDoor(server *caddyhttp.Server) {
	var once sync.Once
	server.RegisterConnContext(func(ctx context.Context, _ net.Conn) context.Context {
		once.Do(func() {
			if std, ok := ctx.Value(http.ServerContextKey).(*http.Server); ok && g.isFirstIn(server) {
				std.Handler = &door{gate: g, server: server, inner: std.Handler}
			}
		})
		return ctx
	})
}

// isFirstIn reports whether every request to server comes to g first.
func (g *Gate) isFirstIn(server *caddyhttp.Server) bool {
	if len(server.Routes) == 0 || server.StrictSNIHost != nil && *server.StrictSNIHost {
		return false
	}
	first := server.Routes[0]
	if len(first.MatcherSets) > 0 || len(first.Handlers) == 0 {
		return false
	}
	handler, ok := first.Handlers[0].(*Gate)
	return ok && handler == g
}

// ServeHTTP implements http.Handler.
func (d *door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if caller, ok := d.understands(r); !ok || !d.gate.refusesAtOnce(w, r, caller) {
		d.inner.ServeHTTP(w, r)
	}
}

// understands reports whether what the door knows of a request is all there is to know, and returns the client's
// address.
func (d *door) understands(r *http.Request) (netip.Addr, bool) {
	if r.ContentLength != 0 || len(r.Method) > 32 || !isPlain(r.URL.Path) || !isPlainHost(r.Host) {
		return netip.Addr{}, false
	}
	for _, name := range d.server.ClientIPHeaders {
		if _, ok := r.Header[http.CanonicalHeaderKey(name)]; ok {
			return netip.Addr{}, false
		}
	}
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	return peer.Addr().Unmap().WithZone(""), err == nil
}

// isPlainHost reports whether host is one that Caddy does not refuse.
func isPlainHost(host string) bool {
	for i := range len(host) {
		switch c := host[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '.', c == ':':
		default:
			return false
		}
	}
	name, _, _ := strings.Cut(host, ":")
	return strings.Trim(name, ".") != ""
}

// refusesAtOnce answers a request that can be refused as it is, and reports whether it has.
func (g *Gate) refusesAtOnce(w http.ResponseWriter, r *http.Request, caller netip.Addr) bool {
	if !g.public.plain || !g.pages.plain || g.public.match(r) || g.pages.match(r) {
		return false
	}
	text, err := bearer.Read(r.Header["Authorization"])
	if err != nil {
		out := g.newResponseWriter(w, r)
		_, out.span = g.begin(r)
		defer g.note(out)
		out.client = caller.String()
		var refused *problem
		out.window, _, refused = g.rejectUnread(r.Context(), caller, err)
		g.refuse(out, *refused)
		return true
	}
	if g.enforced.shadow || !g.windows.MayBeSpent("tok_"+bearer.ID(text)) {
		return false
	}
	token, usable := g.tokens.Cached(text)
	if !usable || !token.Active || !token.Admits(caller) {
		return false
	}
	result, spent := g.windows.Spent(token.TokenID, ratelimit.Quota{Limit: token.Limit, Window: token.Window})
	if !spent {
		return false
	}
	out := g.newResponseWriter(w, r)
	_, out.span = g.begin(r)
	defer g.note(out)
	out.client, out.token, out.window = caller.String(), token, windowState{tokenWindow, result}
	g.decided(tokenWindow, result, nil)
	g.usage.Refused(token.TokenID, caller)
	g.refuse(out, *limitReached(out.window))
	return true
}
