package upstream

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/tokengate"
)

// statusError returns err, which ended r, with the status of the response. reverse_proxy keeps that status, and gives
// 502 to a request that was not sent.
func statusError(r *http.Request, err error) error {
	if _, unsent := errors.AsType[reverseproxy.DialError](err); err == nil || unsent {
		return err
	}
	// None of these errors is context.Canceled, which reverse_proxy would answer itself.
	var large *http.MaxBytesError
	switch bodyErr := bodyError(r); {
	case errors.As(bodyErr, &large):
		return caddyhttp.Error(http.StatusRequestEntityTooLarge, large)
	case discovery.IsTimeout(bodyErr): // before the next case: net/http cancels a request whose body it cannot read
		return caddyhttp.Error(http.StatusRequestTimeout, bodyErr)
	case errors.Is(r.Context().Err(), context.Canceled):
		return caddyhttp.Error(tokengate.StatusClientClosedRequest, errors.New("the client closed its connection"))
	case bodyErr != nil:
		return caddyhttp.Error(http.StatusBadRequest, bodyErr)
	case discovery.IsTimeout(err):
		return caddyhttp.Error(http.StatusGatewayTimeout, err)
	default:
		return caddyhttp.Error(http.StatusBadGateway, err)
	}
}

// requestBody is the body of a request, which keeps the error of reading it from the client.
type requestBody struct {
	io.ReadCloser

	failure atomic.Pointer[error]
}

// Read implements io.Reader.
func (b *requestBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.failure.CompareAndSwap(nil, &err)
	}
	return n, err
}

// bodyError returns why the body of r could not be read from the client, or nil.
func bodyError(r *http.Request) error {
	if sent, ok := r.Body.(*requestBody); ok {
		if failure := sent.failure.Load(); failure != nil {
			return *failure
		}
	}
	return nil
}

// responseBody is the body of a response to request. That counts as in flight at the address until the body is closed,
// as failed if the body is truncated, and as successful once the body was read.
type responseBody struct {
	io.ReadCloser

	request *http.Request
	from    *discovery.Address
	status  int
	closed  atomic.Bool
}

// Read implements io.Reader.
func (b *responseBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil || b.request.Context().Err() != nil:
	case !errors.Is(err, io.EOF):
		b.from.Record(true)
	case b.status < http.StatusInternalServerError:
		b.from.Record(false)
	}
	return n, err
}

// Close implements io.Closer.
func (b *responseBody) Close() error {
	if b.closed.CompareAndSwap(false, true) {
		b.from.End()
	}
	return b.ReadCloser.Close()
}
