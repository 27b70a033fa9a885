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
func checkDestination(w http.ResponseWriter, r *http.Request, next caddyhttp.Handler) error {
	switch {
	case !httpguts.ValidHeaderFieldName(r.Method) || strings.Contains(r.URL.RawQuery, " ") || // a method is a token, too
		len(r.Header["Content-Length"]) > 1:
		return caddyhttp.Error(http.StatusBadRequest, errors.New("not a request of HTTP/1.1"))
	case r.Method == http.MethodConnect:
		return notAllowed(w, "") // there are no tunnels
	case !isUnambiguous(r.URL):
		return caddyhttp.Error(http.StatusNotFound, errors.New("the path can be read in several ways"))
	case r.Method == http.MethodTrace:
		allow, err := allowed(r, next)
		if err != nil {
			return err
		}
		return notAllowed(w, allow)
	default:
		return nil
	}
}

// notAllowed returns the error for a method, and says which are allowed instead.
func notAllowed(w http.ResponseWriter, allow string) error {
	w.Header().Set("Allow", allow)
	return caddyhttp.Error(http.StatusMethodNotAllowed, errors.New("not a method for resources"))
}

// allowed returns the methods of a resource, which only its service knows: the Allow of its response to OPTIONS.
func allowed(r *http.Request, next caddyhttp.Handler) (string, error) {
	options := r.Clone(r.Context())
	options.Method, options.Body, options.ContentLength = http.MethodOptions, http.NoBody, 0
	response := headerOnly{}
	err := next.ServeHTTP(response, options)
	return http.Header(response).Get("Allow"), err
}

// headerOnly is a response of which only the header is used.
type headerOnly http.Header

func (h headerOnly) Header() http.Header         { return http.Header(h) }
func (h headerOnly) WriteHeader(int)             {}
func (h headerOnly) Write(b []byte) (int, error) { return len(b), nil }
