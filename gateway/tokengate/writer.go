package tokengate

import (
	"io"
	"net/http"
	"net/netip"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
)

// requestIDHeader is the spelling that goes out to clients, requestIDCanonical the canonical one of net/http.
const (
	requestIDHeader    = "X-Request-ID"
	requestIDCanonical = "X-Request-Id"
)

// responseWriter completes the headers of every response when they are sent, because only then the next handlers
// have set theirs. It also holds the facts for the access log.
type responseWriter struct {
	caddyhttp.ResponseWriterWrapper

	gate      *Gate
	began     time.Time
	requestID string
	method    string
	path      string // escaped
	client    string // the address; empty if it is not known
	window    ratelimit.State
	caller    netip.Addr
	token     *introspect.Result  // of a caller that is known; else nil
	presented *introspect.Result  // likewise, and of a token that has ended or is used from elsewhere
	session   *introspect.Session // of a person who is known; else nil
	page      bool                // uses a session instead of a token
	cookies   bool                // the service reads and sets cookies
	location  string              // where a browser is sent in place of the problem that refuses it
	html      bool                // the client shows HTML: a browser that navigates
	origin    string              // of the page that sends the request, if it is another one's
	span      trace.Span          // nil: the request is not traced
	body      *body               // nil: the request has none
	closes    bool                // the connection ends with the response
	leave     func()              // gives the place of the request back; nil: it has none

	status  int            // of the answer, once it has begun; else 0
	bytes   int64          // of its body so far
	whole   bool           // the handlers have returned
	failure string         // of a service
	vars    map[string]any // Caddy's variables of the request
}

// newResponseWriter returns the writer of a new request.
func (g *Gate) newResponseWriter(w http.ResponseWriter, r *http.Request) *responseWriter {
	vars, _ := r.Context().Value(caddyhttp.VarsCtxKey).(map[string]any)
	return &responseWriter{
		gate:                  g,
		closes:                r.ProtoMajor == 1 && (r.Method == http.MethodConnect || r.ProtoMinor == 0),
		ResponseWriterWrapper: caddyhttp.ResponseWriterWrapper{ResponseWriter: w},
		began:                 time.Now(), requestID: publicid.New("req"), method: r.Method, path: r.URL.EscapedPath(),
		html: prefersHTML(r), origin: r.Header.Get("Origin"), vars: vars,
	}
}

// WriteHeader implements http.ResponseWriter.
func (w *responseWriter) WriteHeader(status int) {
	w.removeGateHeaders()
	if status < 200 && status != http.StatusSwitchingProtocols {
		w.ResponseWriter.WriteHeader(status)
		return
	}
	if w.status == 0 {
		w.status = status
		w.complete(status)
		if w.presented != nil && w.presented.TokenID != "" {
			w.gate.usage.Count(w.presented.TokenID, w.caller, status)
		}
		if w.body != nil {
			w.body.responseBegins()
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write implements http.ResponseWriter.
func (w *responseWriter) Write(p []byte) (int, error) {
	w.implicitHeader()
	n, err := w.ResponseWriter.Write(p)
	w.bytes += int64(n)
	return n, err
}

// ReadFrom implements io.ReaderFrom, by which files and sockets are copied without a buffer.
func (w *responseWriter) ReadFrom(r io.Reader) (int64, error) {
	w.implicitHeader()
	n, err := w.ResponseWriterWrapper.ReadFrom(r)
	w.bytes += n
	return n, err
}

// FlushError is what http.ResponseController calls.
func (w *responseWriter) FlushError() error {
	w.implicitHeader()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// release gives the place of the request back, if it has one.
func (w *responseWriter) release() {
	if w.leave != nil {
		w.leave()
		w.leave = nil
	}
}

// finish releases the place of a request once its client has read the response. net/http2 keeps the end of a response
// until the handler has returned, and waits then.
func (w *responseWriter) finish(r *http.Request) {
	if w.leave != nil && w.status != 0 && r.ProtoMajor == 2 {
		_ = http.NewResponseController(w.ResponseWriter).Flush()
	}
	w.release()
}

// implicitHeader begins the response as net/http does at its first byte, or at its end.
func (w *responseWriter) implicitHeader() {
	if w.status == 0 {
		w.WriteHeader(http.StatusOK)
	}
}

// complete sets the headers of every response. It removes those that name the software of the gateway, and those by
// which a service would let other origins use a browser's credentials or read pages.
func (w *responseWriter) complete(status int) {
	header := w.Header()
	delete(header, "Server")
	delete(header, "Via")
	delete(header, "Access-Control-Allow-Credentials")
	header[requestIDHeader] = []string{w.requestID}
	if (w.gate.drain.Draining() || w.closes) && status != http.StatusSwitchingProtocols {
		header["Connection"] = []string{"close"}
	}
	setWindowHeaders(header, w.window)
	if w.token != nil && w.token.Rotated && !w.token.ExpiresAt.IsZero() { // RFC 8594: the time to change to its successor
		header["Sunset"] = []string{w.token.ExpiresAt.UTC().Format(http.TimeFormat)}
	}
	if w.page {
		delete(header, "Access-Control-Allow-Origin")
	} else {
		w.gate.cors.complete(header, w.origin)
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

// removeGateHeaders removes the headers that only the gate may set. Cookies are set by pages alone.
func (w *responseWriter) removeGateHeaders() {
	header := w.Header()
	for _, name := range gateHeaders {
		delete(header, name)
	}
	if !w.cookies {
		delete(header, "Set-Cookie")
	}
}

// Interface guard
var _ io.ReaderFrom = (*responseWriter)(nil)
