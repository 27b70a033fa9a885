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

	"github.com/quayside/quayside/gateway/internal/caddy/gatelog"
	"github.com/quayside/quayside/gateway/internal/discovery"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/spans"
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
	// errNoAddress reports that the name of the tokens service was not found yet.
	errNoAddress = fmt.Errorf("%w: no address is known", ErrUnavailable)
)

// probe is no token, for checking that introspection works.
const probe = "probe"

// maxInFlight bounds the introspections of one kind, of tokens or of sessions, in flight. Further ones wait within
// their timeout.
const maxInFlight = 64

// slots are those of one kind.
type slots chan struct{}

// mostlyFree reports whether so few are taken that a refresh of a result, which is not urgent, delays no request.
func (s slots) mostlyFree() bool { return len(s) < cap(s)/2 }

// client sends introspections (RFC 7662, section 2.1) to the addresses of the tokens service in turn.
type client struct {
	introspection *url.URL
	sessions      *url.URL
	stream        *url.URL
	authorization string // empty: none
	results       Results
	http          *http.Client
	endpoints     *discovery.Service
	tokenSlots    slots
	sessionSlots  slots
	timeout       time.Duration // of an introspection
	reached       atomic.Bool   // there was a usable response
}

func newClient(config Config) *client {
	base := config.Introspection
	port := cmp.Or(base.Port(), map[string]string{"http": "80", "https": "443"}[base.Scheme])
	endpoints, _ := discovery.New(discovery.Config{ // which fails for what is not host:port only
		Name: net.JoinHostPort(base.Hostname(), port), Resolve: config.Resolve, Logger: gatelog.Zap,
		EjectAfter: 1, // requests are short and many
	})
	timeout := cmp.Or(config.Timeout, Timeout)
	return &client{
		introspection: base,
		sessions:      base.ResolveReference(&url.URL{Path: "sessions/introspect"}),
		stream:        base.ResolveReference(&url.URL{Path: "changes"}),
		authorization: config.authorization(),
		results:       config.Results,
		endpoints:     endpoints,
		tokenSlots:    make(slots, maxInFlight),
		sessionSlots:  make(slots, maxInFlight),
		timeout:       timeout,
		http: &http.Client{
			// A redirect, or a proxy from the environment, would send a token to an address that is not configured.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: timeout, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConnsPerHost: 2 * maxInFlight,
				TLSClientConfig:     &tls.Config{ServerName: base.Hostname(), MinVersion: tls.VersionTLS12},
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
		},
	}
}

// authorization returns the value of the header for every request: client_secret_basic (RFC 6749, section 2.3.1) or a
// bearer token.
func (c *Config) authorization() string {
	switch {
	case c.ClientID != "":
		request := http.Request{Header: http.Header{}}
		request.SetBasicAuth(url.QueryEscape(c.ClientID), url.QueryEscape(c.Credential))
		return request.Header.Get("Authorization")
	case c.Credential != "":
		return "Bearer " + c.Credential
	default:
		return ""
	}
}

func (c *client) close() {
	c.endpoints.Close()
	c.http.CloseIdleConnections()
}

// introspect introspects token. Errors are [ErrUnavailable] and contain neither the token nor the credential.
func (c *client) introspect(ctx context.Context, token string) (Result, error) {
	body, err := c.call(ctx, c.tokenSlots, c.timeout, c.introspection, url.Values{"token": {token}})
	if err != nil {
		return Result{}, err
	}
	result, err := c.results.decode(body)
	if err != nil {
		return Result{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	c.reached.Store(true)
	return result, nil
}

// call sends a form to target and returns the body of the response. Errors contain nothing of the form.
//
// The call is idempotent, and is sent once again if the first address fails: most likely an idle connection that a
// restart closed, or an address that hangs. A 5xx is sent again to another address only.
func (c *client) call(
	ctx context.Context, slots slots, timeout time.Duration, target *url.URL, form url.Values,
) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	ctx, span := spans.Child(ctx, "introspect", trace.SpanKindClient)
	defer span.End()

	select {
	case slots <- struct{}{}:
		defer func() { <-slots }()
	case <-ctx.Done():
		return nil, errBusy
	}
	c.endpoints.Wait(ctx)
	first := c.endpoints.Pick(nil)
	if first == nil {
		return nil, errNoAddress
	}
	second := c.endpoints.Pick(first)
	status, body, err := c.post(ctx, first, second != nil, target, form.Encode())
	failed := err != nil || second != nil && status >= http.StatusInternalServerError
	if failed && ctx.Err() == nil {
		status, body, err = c.post(ctx, cmp.Or(second, first), false, target, form.Encode())
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return body, checkStatus(status)
}

// post sends a form to one address. It has half of the time left if there is an alternative.
func (c *client) post(
	ctx context.Context, to *discovery.Address, hasAlternative bool, target *url.URL, form string,
) (status int, body []byte, err error) {
	if hasAlternative {
		var cancel context.CancelFunc
		until, _ := ctx.Deadline()
		ctx, cancel = context.WithTimeout(ctx, time.Until(until)/2)
		defer cancel()
	}
	response, err := c.send(ctx, to, http.MethodPost, *target, form)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxResultBytes))
	return response.StatusCode, body, err
}

// send sends a request for target to one of its addresses and records the result, unless the caller canceled it.
func (c *client) send(
	ctx context.Context, to *discovery.Address, method string, target url.URL, form string,
) (*http.Response, error) {
	host := target.Host
	target.Host = to.HostPort
	request, err := http.NewRequestWithContext(ctx, method, target.String(), strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	request.Host = host
	if c.authorization != "" {
		request.Header.Set("Authorization", c.authorization)
	}
	request.Header.Set("Accept", "application/json")
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	tracing.Inject(ctx, request.Header)
	to.Begin()
	defer to.End()
	response, err := c.http.Do(request)
	if !errors.Is(err, context.Canceled) {
		to.Record(err != nil || response.StatusCode >= http.StatusInternalServerError)
	}
	return response, err
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
	response, err := c.send(ctx, to, http.MethodGet, target, "")
	if err != nil {
		return nil, err
	}
	if err := checkStatus(response.StatusCode); err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return response.Body, nil
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
