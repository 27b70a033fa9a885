package tokengate

import (
	"net/http"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// reserved are the names, in lower case, of headers that only the gateway may set, and of those that services must
// not receive.
var reserved = []string{
	"authorization", "baggage", "cookie", "forwarded", "traceparent", "tracestate", "true-client-ip", "x-client-address",
	"x-gateway-assertion", "x-organization-id", "x-organization-name", "x-real-ip", "x-request-id", "x-token-id",
	"x-token-permissions", "x-user-auth-time", "x-user-id", "x-user-name",
}

// viewCookie begins the names of the cookies that pages of services may keep: what a browser shows, and no secret.
const viewCookie = "view-"

// viewCookies returns the header of those of a request's cookies that pages of services may keep.
func viewCookies(r *http.Request) (kept []string) {
	for _, cookie := range r.Cookies() {
		if strings.HasPrefix(cookie.Name, viewCookie) {
			kept = append(kept, cookie.Name+"="+cookie.Value)
		}
	}
	return kept
}

// strip removes from r what a client must not send on. Cookies stay with requests for pages, which are the only ones
// that have a session.
//
// A client may have headers removed, but never kept: those that it names in Connection are removed, as RFC 9110,
// section 7.6.1 demands of an intermediary, and Connection itself, except for a WebSocket handshake, which a next
// handler may forward. No other upgrade is possible: h2c would be a tunnel for requests that bypass the gate. If
// Connection stayed, a proxy behind the gate would remove the headers that the gate is about to write, and the service
// would not know the principal. Trailers are removed for the same reasons. X-Forwarded-* are removed even from a
// trusted proxy: X-Client-Address carries the client's address.
func strip(r *http.Request, page bool) {
	handshake := isWebSocketHandshake(r)
	for _, value := range r.Header["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			r.Header.Del(strings.TrimSpace(name))
		}
	}
	delete(r.Header, "Connection")
	delete(r.Header, "Upgrade")
	if handshake {
		r.Header["Connection"], r.Header["Upgrade"] = []string{"Upgrade"}, []string{"websocket"}
	}
	delete(r.Header, "Trailer")
	r.Trailer = nil

	for name := range r.Header {
		if page && name == "Cookie" {
			continue
		}
		if isReserved(name) {
			delete(r.Header, name)
		}
	}
}

// isWebSocketHandshake reports whether r is the handshake of the WebSocket protocol (RFC 6455, section 4.1).
func isWebSocketHandshake(r *http.Request) bool {
	upgrade := r.Header["Upgrade"]
	return r.Method == http.MethodGet && r.ProtoMajor == 1 && r.ContentLength == 0 &&
		len(upgrade) == 1 && strings.EqualFold(upgrade[0], "websocket") &&
		httpguts.HeaderValuesContainsToken(r.Header["Connection"], "upgrade")
}

func isReserved(name string) bool {
	for _, other := range reserved {
		if len(name) == len(other) && startsLike(name, other) {
			return true
		}
	}
	return startsLike(name, "x-ratelimit-") || startsLike(name, "x-forwarded-")
}

// startsLike reports whether name starts with prefix, which is in lower case, in any spelling that a service could
// read as it: in any case, with the underscores that CGI makes of hyphens, or the dots that PHP makes underscores of.
func startsLike(name, prefix string) bool {
	if len(name) < len(prefix) {
		return false
	}
	for i := range len(prefix) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case c == '_' || c == '.':
			c = '-'
		}
		if c != prefix[i] {
			return false
		}
	}
	return true
}
