package introspect

import (
	"cmp"
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

	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/internal/outage"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

// Timeout bounds one introspection, retry included. It is a variable for tests on busy machines.
var Timeout = 250 * time.Millisecond

var (
	// ErrUnavailable reports that there was no usable response in time. The state of the token is unknown.
	ErrUnavailable = errors.New("tokens service unavailable")
	// ErrCredential reports that the tokens service rejected the gateway's credential, which an operator must
	// correct. It is also an [ErrUnavailable].
	ErrCredential = fmt.Errorf("%w: it refuses the gateway's credential", ErrUnavailable)
	// errBusy reports that no slot became free within Timeout.
	errBusy = fmt.Errorf("%w: too many introspections are in flight", ErrUnavailable)
)

// probe is a well-formed token whose id is never issued, for checking that introspection works.
const probe = "shpt_test_000000000000_000000000000000000000000000000004VaWUc"

// maxInFlight bounds the introspections in flight. Further ones wait within their [Timeout].
const maxInFlight = 64

// client sends introspections (RFC 7662, section 2.1) to the addresses of the tokens service in turn.
type client struct {
	introspection *url.URL
	sessions      *url.URL
	stream        *url.URL
	credential    string
	http          *http.Client
	endpoints     *discovery.Service
	slots         chan struct{}
	timeout       time.Duration // of an introspection
	reached       atomic.Bool   // there was a usable response
}

func newClient(config Config) *client {
	return &client{
		introspection: config.Introspection,
		sessions:      config.Introspection.ResolveReference(&url.URL{Path: "sessions/introspect"}),
		stream:        config.Introspection.ResolveReference(&url.URL{Path: "changes"}),
		credential:    config.Credential,
		endpoints:     newService(config.Introspection, config.Resolve),
		slots:         make(chan struct{}, maxInFlight),
		timeout:       cmp.Or(config.Timeout, Timeout),
		http: &http.Client{
			// A redirect, or a proxy from the environment, would send a token to an address that is not configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: Timeout, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConnsPerHost: maxInFlight,
				TLSClientConfig:     &tls.Config{ServerName: config.Introspection.Hostname(), MinVersion: tls.VersionTLS12},
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
		},
	}
}

// newService returns the addresses of a URL's host. One failure ejects an address: requests are short and many.
func newService(of *url.URL, resolve discovery.Resolver) *discovery.Service {
	port := cmp.Or(of.Port(), map[string]string{"http": "80", "https": "443"}[of.Scheme])
	s, _ := discovery.New(discovery.Config{ // which fails for what is not host:port only
		Name: net.JoinHostPort(of.Hostname(), port), EjectAfter: 1, Resolve: resolve, Logger: outage.Log,
	})
	return s
}

func (c *client) close() {
	c.endpoints.Close()
	c.http.CloseIdleConnections()
}

// errNoAddress reports that the name of the tokens service was not found yet.
var errNoAddress = errors.New("no address is known")

// introspect introspects token. Errors are [ErrUnavailable] and contain neither the token nor the credential.
func (c *client) introspect(ctx context.Context, token string) (Result, error) {
	body, err := c.call(ctx, c.timeout, c.introspection, url.Values{"token": {token}})
	if err != nil {
		return Result{}, err
	}
	result, err := decode(body)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.reached.Store(true)
	return result, nil
}

// call sends a form to target and returns the body of the response. Errors contain nothing of the form.
func (c *client) call(ctx context.Context, timeout time.Duration, target *url.URL, form url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, span := tracing.Child(ctx, "introspect", trace.SpanKindClient)
	defer span.End()

	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, errBusy
	}
	response, err := c.post(ctx, target, form.Encode())
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return response.body, checkStatus(response.status)
}

// response is a complete response.
type response struct {
	status int
	body   []byte
}

// post sends the introspection, which is idempotent, and retries once if the first address fails: most likely an idle
// connection that a restart closed, or an address that hangs. A 5xx is retried at another address only.
func (c *client) post(ctx context.Context, target *url.URL, form string) (got response, err error) {
	c.endpoints.Wait(ctx)
	first := c.endpoints.Pick(nil)
	if first == nil {
		return response{}, errNoAddress
	}
	second := c.endpoints.Pick(first)
	got, err = c.postTo(ctx, first, second != nil, target, form)
	failed := err != nil || second != nil && got.status >= http.StatusInternalServerError
	if !failed || ctx.Err() != nil {
		return got, err
	}
	return c.postTo(ctx, cmp.Or(second, first), false, target, form)
}

// postTo sends the introspection to one address. It has half of the time left if there is an alternative.
func (c *client) postTo(
	ctx context.Context, to *discovery.Address, hasAlternative bool, target *url.URL, form string,
) (response, error) {
	if hasAlternative {
		var cancel context.CancelFunc
		until, _ := ctx.Deadline()
		ctx, cancel = context.WithTimeout(ctx, time.Until(until)/2)
		defer cancel()
	}
	request, err := c.request(ctx, http.MethodPost, target, to, strings.NewReader(form))
	if err != nil {
		return response{}, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	tracing.Inject(ctx, request.Header)
	got, err := c.send(request, to)
	if err != nil {
		return response{}, err
	}
	defer func() { _ = got.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(got.Body, maxResultBytes))
	return response{got.StatusCode, body}, err
}

// request returns a request for target at one of its addresses.
func (c *client) request(ctx context.Context, method string, target *url.URL, to *discovery.Address,
	body io.Reader,
) (*http.Request, error) {
	at := *target
	at.Host = to.HostPort
	request, err := http.NewRequestWithContext(ctx, method, at.String(), body)
	if err != nil {
		return nil, err
	}
	request.Host = target.Host
	request.Header.Set("Authorization", "Bearer "+c.credential)
	return request, nil
}

// send sends a request to an address and records the result, unless the caller canceled it.
func (c *client) send(request *http.Request, to *discovery.Address) (*http.Response, error) {
	to.Begin()
	defer to.End()
	got, err := c.http.Do(request)
	if !errors.Is(err, context.Canceled) {
		to.Record(err != nil || got.StatusCode >= http.StatusInternalServerError)
	}
	return got, err
}

// changes opens the change stream after that revision, or from the present one if it is unknown, until ctx ends.
func (c *client) changes(ctx context.Context, after int64) (io.ReadCloser, error) {
	target := *c.stream
	if after != unknownRevision {
		target.RawQuery = "after=" + strconv.FormatInt(after, 10)
	}
	c.endpoints.Wait(ctx)
	to := c.endpoints.Pick(nil)
	if to == nil {
		return nil, errNoAddress
	}
	request, err := c.request(ctx, http.MethodGet, &target, to, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/x-ndjson")
	got, err := c.send(request, to)
	if err != nil {
		return nil, err
	}
	if err := checkStatus(got.StatusCode); err != nil {
		_ = got.Body.Close()
		return nil, err
	}
	return got.Body, nil
}

// checkStatus returns an [ErrUnavailable] for any status but 200.
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
