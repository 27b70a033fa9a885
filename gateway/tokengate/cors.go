package tokengate

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
)

// cors is which origins' pages may use the API from a browser (https://fetch.spec.whatwg.org/#http-cors-protocol).
// nil: none. Credentials of a browser are never allowed: the API needs a token, which the page must have.
type cors struct {
	any     bool
	origins []string
}

// webOrigin is an origin as browsers write it, in ASCII and lower case; they leave out the defaultPort.
var (
	webOrigin   = regexp.MustCompile(`^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[1-9][0-9]{0,4})?$`)
	defaultPort = regexp.MustCompile(`^(http:.*:80|https:.*:443)$`)
)

// newCORS reads origins: "*", or scheme://host[:port] each.
func newCORS(origins []string) (*cors, error) {
	if len(origins) == 0 {
		return nil, nil //nolint:nilnil // no origins, no CORS
	}
	c := &cors{origins: origins}
	for _, origin := range origins {
		switch {
		case origin == "*":
			c.any = true
		case !webOrigin.MatchString(origin) || defaultPort.MatchString(origin):
			return nil, fmt.Errorf("cors_origins: %q is no origin as browsers write it, such as "+
				"https://app.example, or *", origin)
		}
	}
	return c, nil
}

// allows reports whether pages of that origin may use the API.
func (c *cors) allows(origin string) bool {
	return c != nil && origin != "" && (c.any || slices.Contains(c.origins, origin))
}

// isPreflight reports whether r is a CORS preflight request of an allowed origin.
func (c *cors) isPreflight(r *http.Request) bool {
	return c != nil && r.Method == http.MethodOptions && len(r.Header["Access-Control-Request-Method"]) == 1 &&
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
func (c *cors) complete(header http.Header, origin string) {
	if c == nil || header["Access-Control-Allow-Origin"] != nil {
		return
	}
	if !c.any {
		header["Vary"] = append(header["Vary"], "Origin")
	}
	if !c.allows(origin) {
		return
	}
	if c.any {
		origin = "*"
	}
	header["Access-Control-Allow-Origin"] = []string{origin}
	header["Access-Control-Expose-Headers"] = []string{corsExposed}
}
