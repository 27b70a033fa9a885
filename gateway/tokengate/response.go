package tokengate

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/quayside/quayside/gateway/internal/usage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/redact"
)

// requestIDHeader is the spelling that goes out to clients, requestIDCanonical the canonical one of net/http.
const (
	requestIDHeader    = "X-Request-ID"
	requestIDCanonical = "X-Request-Id"
)

// The headers of every response are completed when they are sent, because only then the next handlers have set theirs.

// WriteHeader implements http.ResponseWriter.
func (x *exchange) WriteHeader(status int) {
	x.removeGateHeaders()
	if status < 200 && status != http.StatusSwitchingProtocols {
		x.ResponseWriter.WriteHeader(status)
		return
	}
	if x.status == 0 {
		x.status = status
		x.complete(status)
		if x.gate.usage != nil && x.token != nil && x.token.TokenID != "" {
			x.gate.usage.Count(x.token.TokenID, x.caller, status)
			if status >= http.StatusBadRequest {
				x.gate.usage.Fail(x.token.TokenID, x.caller, usage.Failure{
					Status: status, RequestID: x.id, Request: metrics.Method(x.method) + " " + redact.Path(x.path),
				})
			}
		}
		if x.body != nil {
			x.body.responseBegins()
		}
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (x *exchange) Write(p []byte) (int, error) {
	x.implicitHeader()
	n, err := x.ResponseWriter.Write(p)
	x.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, by which files and sockets are copied without a buffer.
func (x *exchange) ReadFrom(r io.Reader) (int64, error) {
	x.implicitHeader()
	n, err := x.ResponseWriterWrapper.ReadFrom(r)
	x.bytes += n
	return n, err
}

// FlushError is what http.ResponseController calls.
func (x *exchange) FlushError() error {
	x.implicitHeader()
	return http.NewResponseController(x.ResponseWriter).Flush()
}

// release gives the place of the request back, if it has one.
func (x *exchange) release() {
	if x.leave != nil {
		x.leave()
		x.leave = nil
	}
}

// finish releases the place of a request once its client has read the response. net/http2 keeps the end of a response
// until the handler has returned, and waits then.
func (x *exchange) finish(r *http.Request) {
	if x.leave != nil && x.status != 0 && r.ProtoMajor == 2 {
		_ = http.NewResponseController(x.ResponseWriter).Flush()
	}
	x.release()
}

// implicitHeader begins the response as net/http does at its first byte, or at its end.
func (x *exchange) implicitHeader() {
	if x.status == 0 {
		x.WriteHeader(cmp.Or(x.held, http.StatusOK))
	}
}

// complete sets the headers of every response. It removes those that name the software of the gateway, and those by
// which a service would let other origins use a browser's credentials or read pages.
func (x *exchange) complete(status int) {
	header := x.Header()
	delete(header, "Server")
	delete(header, "Via")
	delete(header, "Access-Control-Allow-Credentials")
	header[requestIDHeader] = []string{x.id}
	if (x.gate.drain.Draining() || x.closes) && status != http.StatusSwitchingProtocols {
		header["Connection"] = []string{"close"}
	}
	if x.window.Limit > 0 { // it was counted
		setWindowHeaders(header, x.window)
	}
	if x.admitted && x.token != nil && x.token.Rotated && !x.token.ExpiresAt.IsZero() {
		// RFC 8594: the time to change to its successor
		header["Sunset"] = []string{x.token.ExpiresAt.UTC().Format(http.TimeFormat)}
	}
	if x.route == pageRoute || x.route == sessionRoute {
		delete(header, "Access-Control-Allow-Origin")
	} else {
		x.gate.cors.complete(header, x.origin)
	}
	if status >= http.StatusBadRequest { // caches may keep some errors, 404 and 405 among them (RFC 9110, 15.1)
		header["Cache-Control"] = []string{"no-store"}
	}
}

// gateHeaders are the headers of responses that only the gate may set, as net/http spells those of a service.
var gateHeaders = [...]string{
	"Sunset", requestIDCanonical, "Ratelimit", "Ratelimit-Policy", "X-Ratelimit-Limit", "X-Ratelimit-Remaining",
	"X-Ratelimit-Reset",
}

// removeGateHeaders removes the headers that only the gate may set. Cookies are set by pages alone, and those of views
// by pages of services.
func (x *exchange) removeGateHeaders() {
	header := x.Header()
	for _, name := range gateHeaders {
		delete(header, name)
	}
	if cookies := header["Set-Cookie"]; x.route == sessionRoute && cookies != nil {
		header["Set-Cookie"] = slices.DeleteFunc(cookies, func(c string) bool { return !strings.HasPrefix(c, viewCookie) })
	} else if x.route != pageRoute {
		delete(header, "Set-Cookie")
	}
}

// Interface guard
var _ io.ReaderFrom = (*exchange)(nil)
