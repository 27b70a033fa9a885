package introspect

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/quayside/quayside/gateway/internal/tracing"
)

// Timeout bounds one introspection, its retry included.
const Timeout = 250 * time.Millisecond

var (
	// ErrUnavailable says that the tokens service did not give a usable answer in time. Nothing follows
	// from it about the token.
	ErrUnavailable = errors.New("tokens service unavailable")
	// ErrCredential says that the tokens service refused the gateway itself: nobody can be let in until
	// an operator sets the credential right. It is also an [ErrUnavailable].
	ErrCredential = fmt.Errorf("%w: it refuses the gateway's credential", ErrUnavailable)
	// errBusy says that it was not called, because too many calls were under way for too long.
	errBusy = fmt.Errorf("%w: too many introspections are in flight", ErrUnavailable)
	// errAway says that it was not there a moment ago, and is being asked again.
	errStale = fmt.Errorf("%w: it was not there a moment ago", ErrUnavailable)
)

// probe is a well-formed token whose id was never given out. Asking for it shows whether tokens can be
// checked without needing a token.
const probe = "shpt_test_000000000000_000000000000000000000000000000004VaWUc"

// maxInFlight is how many introspections one gateway has in flight. Others wait within their [Timeout].
const maxInFlight = 64

// client asks the tokens service over HTTP (RFC 7662, section 2.1), each of its addresses in turn.
type client struct {
	introspection *url.URL
	stream        *url.URL
	credential    string
	http          *http.Client
	endpoints     *endpoints // of introspection
	streams       *endpoints // of stream
	slots         chan struct{}
	reached       atomic.Bool // there was a usable answer
}

func newClient(config Config) *client {
	introspection, stream := parsed(config.Introspection), parsed(config.Changes)
	return &client{
		introspection: introspection,
		stream:        stream,
		credential:    config.Credential,
		endpoints:     newEndpoints(introspection),
		streams:       newEndpoints(stream),
		slots:         make(chan struct{}, maxInFlight),
		http: &http.Client{
			// A redirect would carry a token to an address that nobody configured, and so would a
			// proxy from the environment, which is why the transport has none.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: Timeout, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConnsPerHost: maxInFlight,
				TLSClientConfig:     &tls.Config{ServerName: introspection.Hostname(), MinVersion: tls.VersionTLS12},
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
		},
	}
}

// ask introspects token. Every error is an [ErrUnavailable] and contains neither the token nor the
// credential.
func (c *client) introspect(ctx context.Context, token string) (Result, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	ctx, span := tracing.Child(ctx, "introspect", trace.SpanKindClient)
	defer span.End()

	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return Result{}, errBusy
	}
	response, err := c.post(ctx, token)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := checkStatus(response.status); err != nil {
		return Result{}, err
	}
	result, err := decode(bytes.NewReader(response.body))
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.reached.Store(true)
	return result, nil
}

// response is a response read whole.
type response struct {
	status int
	body   []byte
}

// post sends the introspection, and once more if the first try shows that this address does not work.
func (c *client) post(ctx context.Context, token string) (response, error) {
	first, err := c.endpoints.next(ctx)
	if err != nil {
		return response{}, err
	}
	got, err := c.postTo(ctx, first, token)
	switch {
	case ctx.Err() != nil:
		return got, err
	case err != nil && (connectionError(err) || first.suspect && first.hasAlternative):
		// The likeliest cause is an idle connection that the other side closed, for instance because it was
		// restarted; asking twice changes nothing there.
	case err == nil && got.status >= http.StatusInternalServerError && first.hasAlternative:
	default:
		return got, err
	}
	second, err := c.endpoints.next(ctx)
	if err != nil {
		return response{}, err
	}
	return c.postTo(ctx, second, token)
}

// postTo sends the introspection to one address. A suspect one has half of [Timeout] if another can be asked after.
func (c *client) postTo(ctx context.Context, to endpoint, token string) (response, error) {
	if to.suspect && to.hasAlternative {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, Timeout/2)
		defer cancel()
	}
	form := url.Values{"token": {token}}.Encode()
	request, err := c.request(ctx, http.MethodPost, c.introspection, to, strings.NewReader(form))
	if err != nil {
		return response{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	tracing.Tell(ctx, request.Header)
	got, err := c.send(request, c.endpoints, to)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxResultBytes))
	return response{got.StatusCode, body}, err
}

// request makes a request for target at one of its addresses.
func (c *client) request(ctx context.Context, method string, target *url.URL, to endpoint, body io.Reader) (*http.Request, error) {
	at := *target
	at.Host = to.hostPort
	request, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	request.Host = target.Host
	request.Header.Set("Authorization", "Bearer "+c.credential)
	return request, nil
}

// send sends a request to one of endpoints and notes whether that works, unless the caller gave up first.
func (c *client) send(request *http.Request, endpoints *endpoints, to endpoint) (*http.Response, error) {
	got, err := c.http.Do(request)
	if !errors.Is(err, context.Canceled) {
		endpoints.record(to, err == nil && got.StatusCode < http.StatusInternalServerError)
	}
	return got, err
}

// changes opens the stream of changes after that revision, or of those from now on when it is unknown. It
// lasts as long as ctx. The error is an [ErrUnavailable].
func (c *client) changes(ctx context.Context, after int64) (io.ReadCloser, error) {
	target := *c.stream
	if after != unknownRevision {
		target.RawQuery = "after=" + strconv.FormatInt(after, 10)
	}
	to, err := c.streams.next(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	request, err := c.request(ctx, http.MethodGet, &target, to, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	request.Header.Set("Accept", "application/x-ndjson")
	got, err := c.send(request, c.streams, to)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := checkStatus(got.StatusCode); err != nil {
		_ = got.Body.Close()
		return nil, err
	}
	return got.Body, nil
}

// checkStatus returns an [ErrUnavailable] for any status but a good one.
func checkStatus(status int) error {
	switch status {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrCredential
	default:
		return fmt.Errorf("%w: status %d", ErrUnavailable, status)
	}
}

// connectionError reports whether err is of the connection and not of the time that ran out.
func connectionError(err error) bool {
	var timeout net.Error
	return !errors.Is(err, context.Canceled) && (!errors.As(err, &timeout) || !timeout.Timeout())
}

// parsed parses a URL that the configuration was checked for.
func parsed(text string) *url.URL {
	u, err := url.Parse(text)
	if err != nil {
		return new(url.URL)
	}
	return u
}
