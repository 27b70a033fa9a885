package tokengate

import (
	"net/http"
	"strings"
)

// reserved are the names, in lower case, that only the gateway may tell the services, and those that the
// services must not learn.
var reserved = map[string]bool{
	"authorization":       true,
	"cookie":              true,
	"forwarded":           true,
	"x-gateway-assertion": true,
	"x-organization-id":   true,
	"x-request-id":        true,
	"x-token-id":          true,
	"x-token-permissions": true,
}

// strip removes from r what a client must not send on, and returns the values of its Authorization header.
//
// A header may be removed, but never kept, by the client's wish: what it names in Connection goes now, as
// RFC 9110, section 7.6.1 asks of an intermediary, and Connection goes with it. Were it left, the proxy
// behind would remove the headers that the gate is about to write, and a service would be told nothing of
// who calls. Trailers go for the same reason that headers do, and nothing here uses them.
func strip(r *http.Request, trustedPeer bool) (authorization []string) {
	authorization = r.Header["Authorization"]
	for _, value := range r.Header["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			r.Header.Del(strings.TrimSpace(name))
		}
	}
	delete(r.Header, "Connection")
	delete(r.Header, "Trailer")
	r.Trailer = nil

	for name := range r.Header {
		if strings.IndexByte("AaCcFfXx", name[0]) < 0 {
			continue // no reserved name begins so
		}
		if canonical := plainName(name); reserved[canonical] ||
			strings.HasPrefix(canonical, "x-ratelimit-") ||
			!trustedPeer && strings.HasPrefix(canonical, "x-forwarded-") {
			delete(r.Header, name)
		}
	}
	return authorization
}

// plainName returns the spelling of a header's name that others would take it for: in lower case, and
// with the hyphens that servers like CGI write as underscores and PHP as dots.
func plainName(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '_' || r == '.':
			return '-'
		case 'A' <= r && r <= 'Z':
			return r + ('a' - 'A')
		default:
			return r
		}
	}, name)
}
