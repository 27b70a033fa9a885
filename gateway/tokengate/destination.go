package tokengate

import (
	"errors"
	"net/http"
	"strings"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"golang.org/x/net/http/httpguts"
)

// checkDestination returns an error for a request that no next handler may see: its path is read differently by
// different readers, or its method is for something else than a resource: a tunnel (CONNECT), or the request
// itself with its secrets (TRACE), or HTTP/2 carried what HTTP/1.1 cannot: another request line, or two lengths.
func checkDestination(w http.ResponseWriter, r *http.Request) error {
	switch {
	case !httpguts.ValidHeaderFieldName(r.Method) || strings.Contains(r.URL.RawQuery, " ") || // a method is a token, too
		len(r.Header["Content-Length"]) > 1:
		return caddyhttp.Error(http.StatusBadRequest, errors.New("not a request of HTTP/1.1"))
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		return notAllowed(w)
	case !isUnambiguous(r.URL):
		return caddyhttp.Error(http.StatusNotFound, errors.New("the path can be read in several ways"))
	default:
		return nil
	}
}

// forwarded are the methods that a service may allow. Which of them a resource has, its own 405 says.
const forwarded = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS"

// notAllowed returns the error for a method that no resource has.
func notAllowed(w http.ResponseWriter) error {
	w.Header().Set("Allow", forwarded)
	return caddyhttp.Error(http.StatusMethodNotAllowed, errors.New("not a method for resources"))
}
