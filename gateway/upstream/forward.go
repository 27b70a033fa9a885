package upstream

import (
	"context"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// ServiceVar is the variable of a request in which Caddy's handlers find the address of the service that it was
// sent to, as it is configured: for the log and metrics of those who run the gateway.
const ServiceVar = "quayside.service"

// StatusClientGone is the status that many servers record for a request whose client has closed its connection.
const StatusClientClosedRequest = 499

// ServeHTTP implements caddyhttp.MiddlewareHandler. Errors have the status that a client should be told of.
// The request's headers become those of the one that is sent.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	caddyhttp.SetVar(r.Context(), ServiceVar, h.transport.service.nameValue)
	if r.ContentLength > h.MaxBody {
		return caddyhttp.Error(http.StatusRequestEntityTooLarge, &http.MaxBytesError{Limit: h.MaxBody})
	}
	out := h.outgoing(w, r)
	response, err := h.transport.RoundTrip(out)
	if err != nil {
		return statusError(out, err)
	}
	defer func() { _ = response.Body.Close() }()
	copyResponse(w, response)
	return nil
}

// outgoing makes of r the request to the service.
func (h *Handler) outgoing(w http.ResponseWriter, r *http.Request) *http.Request {
	out := r.WithContext(r.Context())
	out.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	out.RequestURI, out.Close, out.Body, out.Trailer = "", false, nil, nil
	if r.ContentLength != 0 {
		out.Body = &requestBody{ReadCloser: http.MaxBytesReader(w, r.Body, h.MaxBody)}
		out.Header = r.Header.Clone() // net/http may be reading it when its answer is there already
	}
	for _, name := range hopByHop {
		delete(out.Header, name)
	}
	out.Header["Via"] = append(out.Header["Via"], via(r))
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = noUserAgent // otherwise net/http writes its own
	}
	if repl, ok := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer); ok {
		if assertion, ok := repl.GetString(h.assertion); ok && assertion != "" {
			out.Header["X-Gateway-Assertion"] = []string{assertion}
		}
	}
	return out
}

// noUserAgent makes net/http write none.
var noUserAgent = []string{""}

// hopByHop are headers that belong to one connection (RFC 9110, 7.6.1). What Connection names besides is gone
// before: the gate sees to that.
var hopByHop = [...]string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// via is how RFC 9110, 7.6.3, wants a gateway to tell that it was there.
func via(r *http.Request) string {
	if r.ProtoMajor == 2 {
		return "2.0 gateway"
	}
	return "1.1 gateway"
}

// sentBody is a request's body on its way. It is closed by the server, which may want to read on.
type requestBody struct {
	io.ReadCloser

	failure atomic.Pointer[error] // why the client's body could not be read
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failure.CompareAndSwap(nil, &err)
	}
	return n, err
}

// Close implements io.Closer.
func (b *requestBody) Close() error { return nil }

// unread returns why the body of r could not be read from its client, or nil.
func bodyError(r *http.Request) error {
	if sent, ok := r.Body.(*requestBody); ok {
		if failure := sent.failure.Load(); failure != nil {
			return *failure
		}
	}
	return nil
}

// statusError gives err, which came of r, the status to answer with.
func statusError(r *http.Request, err error) error {
	if _, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
		return err
	}
	var large *http.MaxBytesError
	status := http.StatusBadGateway
	switch bodyErr := bodyError(r); {
	case errors.As(bodyErr, &large):
		status = http.StatusRequestEntityTooLarge
	case isTimeout(bodyErr): // before the next one: net/http cancels the context of a request whose body it cannot read
		status = http.StatusRequestTimeout
	case errors.Is(r.Context().Err(), context.Canceled):
		status = StatusClientClosedRequest
	case bodyErr != nil:
		status = http.StatusBadRequest
	case isTimeout(err):
		status = http.StatusGatewayTimeout
	}
	return caddyhttp.Error(status, err)
}

// deliver hands answer on. One that breaks off is broken off for the client too.
func copyResponse(w http.ResponseWriter, response *http.Response) {
	header := w.Header()
	for _, value := range response.Header["Connection"] {
		for name := range strings.SplitSeq(value, ",") {
			response.Header.Del(strings.TrimSpace(name))
		}
	}
	maps.Copy(header, response.Header)
	for _, name := range hopByHop {
		delete(header, name)
	}
	w.WriteHeader(response.StatusCode)
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	for {
		n, err := response.Body.Read(*buffer)
		if n > 0 {
			if _, err := w.Write((*buffer)[:n]); err != nil {
				return // the client has left
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return
		case err != nil:
			panic(http.ErrAbortHandler)
		}
	}
}

var buffers = sync.Pool{New: func() any { return new(make([]byte, 32<<10)) }}
