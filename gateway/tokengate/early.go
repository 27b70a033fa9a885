package tokengate

import (
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// earlyRejection runs in front of a Caddy server whose first handler is a gate, and rejects requests before Caddy
// prepares them for its handlers, which costs more than rejecting them: floods consist of such requests.
//
// It makes the same decisions by the same functions as the gate, [Gate.routeOf] and [Gate.check], and rejects only
// where those need neither the tokens service nor anything that Caddy determines. Every other request, such as one
// with a body, with an address header of a proxy or with a path that is not plain, goes on to Caddy unchanged.
//
// The gate must be the server's first handler, which is not known before the server accepts its first connection. The
// patterns for pages and public paths must be plain: others are matched with what Caddy prepares.
type earlyRejection struct {
	gate   *Gate
	server *caddyhttp.Server
	next   http.Handler
}

// isFirstIn reports whether g handles every request to server before any other handler does.
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
func (e *earlyRejection) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if caller, ok := e.applies(r); ok {
		began := time.Now()
		if v, decided := e.gate.check(r.Context(), caller, r.Header["Authorization"], checkEarly); decided {
			e.gate.reject(w, r, caller, v, began)
			return
		}
	}
	e.next.ServeHTTP(w, r)
}

// applies reports whether r needs a token and can be decided without Caddy, and returns the client's address.
func (e *earlyRejection) applies(r *http.Request) (netip.Addr, bool) {
	if r.ContentLength != 0 || len(r.Method) > 32 || !isPlainURL(r.URL) || !isPlainHost(r.Host) {
		return netip.Addr{}, false
	}
	if e.gate.routeOf(r) != tokenRoute {
		return netip.Addr{}, false
	}
	for _, name := range e.server.ClientIPHeaders {
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

// reject answers a request that was refused early with v, and counts and logs it as the gate does.
func (g *Gate) reject(w http.ResponseWriter, r *http.Request, caller netip.Addr, v verdict, began time.Time) {
	out := g.newResponseWriter(w, r)
	_, out.span = g.begin(r)
	defer g.note(out)
	out.began, out.client, out.token, out.window = began, caller.String(), v.token, v.window
	g.refuse(out, *v.refused)
}
