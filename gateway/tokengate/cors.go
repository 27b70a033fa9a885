package tokengate

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// cors is which origins' pages may use the API from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol).
// Credentials of a browser are never allowed: the API needs a token, which the page must have.
type cors []string

// webOrigin is an origin as browsers write it, in ASCII and lower case.
var webOrigin = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)

// newCORS reads origins: "*", or scheme://host[:port] each.
func newCORS(origins []string) (cors, error) {
	for _, origin := range origins {
		if origin != "*" && !webOrigin.MatchString(origin) {
			return nil, fmt.Errorf("cors_origins: %q is no origin as browsers write it, such as https://app.example, or *",
				origin)
		}
	}
	return origins, nil
}

func (c cors) any() bool { return slices.Contains(c, "*") }

// allows reports whether pages of that origin may use the API.
func (c cors) allows(origin string) bool {
	return origin != "" && (c.any() || slices.Contains(c, origin))
}

// isPreflight reports whether r is a CORS preflight request of an allowed origin.
func (c cors) isPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && len(r.Header["Access-Control-Request-Method"]) == 1 &&
		c.allows(r.Header.Get("Origin"))
}

// The methods and headers that pages may send, and the headers of a response that they may read.
const (
	corsMethods = "GET, HEAD, POST, PUT, PATCH, DELETE"
	corsHeaders = "Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range, Prefer, Range"
	corsExposed = "Content-Disposition, Content-Range, ETag, Idempotency-Replayed, Link, Location, Preference-Applied, " +
		"RateLimit, RateLimit-Policy, Retry-After, Sunset, WWW-Authenticate, X-RateLimit-Limit, X-RateLimit-Remaining, " +
		"X-RateLimit-Reset, X-Request-ID"
	corsMaxAge = "7200" // seconds, the most that browsers keep it
)

// preflight answers a preflight request.
func preflight(w http.ResponseWriter) {
	header := w.Header()
	header.Set("Access-Control-Allow-Methods", corsMethods)
	header.Set("Access-Control-Allow-Headers", corsHeaders)
	header.Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
}

// complete sets the headers of a response to a request from that origin, unless the service has set them because
// pages of every origin may read it.
func (c cors) complete(header http.Header, origin string) {
	if len(c) == 0 || header["Access-Control-Allow-Origin"] != nil {
		return
	}
	allowed := c.allows(origin)
	if c.any() {
		origin = "*"
	} else {
		header["Vary"] = append(header["Vary"], "Origin")
	}
	if allowed {
		header["Access-Control-Allow-Origin"] = []string{origin}
		header["Access-Control-Expose-Headers"] = []string{corsExposed}
	}
}
