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

// ServiceVar is the name of the request variable that holds the configured host:port of the service, for logs and
// metrics.
const ServiceVar = "quayside.service"

// StatusClientClosedRequest is the status recorded when the client closed its connection (nginx's 499).
const StatusClientClosedRequest = 499

// ServeHTTP implements caddyhttp.MiddlewareHandler. Errors have the status for the client.
// It changes the request's headers to those that are forwarded.
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

// outgoing returns the request to the service.
func (h *Handler) outgoing(w http.ResponseWriter, r *http.Request) *http.Request {
	out := r.WithContext(r.Context())
	out.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	out.RequestURI, out.Close, out.Body, out.Trailer = "", false, nil, nil
	if r.ContentLength != 0 {
		out.Body = &requestBody{ReadCloser: http.MaxBytesReader(w, r.Body, h.MaxBody)}
		out.Header = r.Header.Clone() // net/http may still read it after the response began
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

// hopByHop are headers that belong to one connection (RFC 9110, section 7.6.1). Headers named by Connection were
// removed by token_gate.
var hopByHop = [...]string{
	"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authenticate", "Proxy-Authorization",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade",
}

// via returns this gateway's entry for Via (RFC 9110, section 7.6.3).
func via(r *http.Request) string {
	if r.ProtoMajor == 2 {
		return "2.0 gateway"
	}
	return "1.1 gateway"
}

// requestBody is the body of a request. The server closes it, because it may read on.
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

// bodyError returns why the body of r could not be read from the client, or nil.
func bodyError(r *http.Request) error {
	if sent, ok := r.Body.(*requestBody); ok {
		if failure := sent.failure.Load(); failure != nil {
			return *failure
		}
	}
	return nil
}

// statusError returns err, which ended r, with the status of the response.
func statusError(r *http.Request, err error) error {
	if _, ok := errors.AsType[caddyhttp.HandlerError](err); ok {
		return err
	}
	var large *http.MaxBytesError
	status := http.StatusBadGateway
	switch bodyErr := bodyError(r); {
	case errors.As(bodyErr, &large):
		status, err = http.StatusRequestEntityTooLarge, large
	case isTimeout(bodyErr) || isTrailerCut(r, bodyErr): // before the next case: net/http cancels the context of a request whose body it cannot read
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

// isTrailerCut reports whether the trailers of r's body did not arrive. net/http reports a timeout as if they were
// malformed, but cancels the context only if the connection failed: the client is too slow, or does not see the status.
func isTrailerCut(r *http.Request, bodyErr error) bool {
	return bodyErr != nil && r.Context().Err() != nil && strings.Contains(bodyErr.Error(), "trailer")
}

// copyResponse copies response to w. A truncated body is truncated for the client too.
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
				return // the client has disconnected
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
