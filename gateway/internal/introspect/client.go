package introspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
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
	// errAway says that it was not there a moment ago, and is being asked again.
	errAway = fmt.Errorf("%w: it was not there a moment ago", ErrUnavailable)
)

// probe is a well-formed token whose id was never given out. Asking for it shows whether tokens can be
// checked without needing a token.
const probe = "shpt_test_000000000000_000000000000000000000000000000004VaWUc"

// client asks the tokens service over HTTP (RFC 7662, section 2.1).
type client struct {
	introspection string
	stream        string
	credential    string
	http          *http.Client
}

func newClient(config Config) *client {
	return &client{
		introspection: config.Introspection,
		stream:        config.Changes,
		credential:    config.Credential,
		http: &http.Client{
			// A redirect would carry a token to an address that nobody configured, and so would a
			// proxy from the environment, which is why the transport has none.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
			Transport: &http.Transport{
				DialContext:         (&net.Dialer{Timeout: Timeout, KeepAlive: 15 * time.Second}).DialContext,
				MaxIdleConns:        64,
				MaxIdleConnsPerHost: 64,
				IdleConnTimeout:     90 * time.Second,
				DisableCompression:  true,
			},
		},
	}
}

// ask introspects token. Every error is an [ErrUnavailable] and contains neither the token nor the
// credential.
func (c *client) ask(ctx context.Context, token string) (Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	ctx, span := tracing.Child(ctx, "introspect", trace.SpanKindClient)
	defer span.End()

	response, err := c.post(ctx, token)
	if err != nil && connectionError(err) {
		// The likeliest cause is an idle connection that the other side closed, for instance because
		// it was restarted; asking twice changes nothing there.
		response, err = c.post(ctx, token)
	}
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	defer func() {
		// What is left is read so that the connection can be used again.
		_, _ = io.CopyN(io.Discard, response.Body, maxAnswerBytes)
		_ = response.Body.Close()
	}()

	if err := checkStatus(response); err != nil {
		return Answer{}, err
	}
	answer, err := decode(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return answer, nil
}

func (c *client) post(ctx context.Context, token string) (*http.Response, error) {
	form := url.Values{"token": {token}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.introspection, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.credential)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	tracing.Tell(ctx, request.Header)
	return c.http.Do(request)
}

// changes opens the stream of changes after that revision, or of those from now on when it is unknown. It
// lasts as long as ctx. The error is an [ErrUnavailable].
func (c *client) changes(ctx context.Context, after int64) (io.ReadCloser, error) {
	target := c.stream
	if after != unknown {
		target += "?after=" + strconv.FormatInt(after, 10)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	request.Header.Set("Authorization", "Bearer "+c.credential)
	request.Header.Set("Accept", "application/x-ndjson")
	response, err := c.http.Do(request)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := checkStatus(response); err != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return response.Body, nil
}

// checkStatus returns an [ErrUnavailable] for any response but a good one.
func checkStatus(response *http.Response) error {
	switch response.StatusCode {
	case http.StatusOK:
		return nil
	case http.StatusUnauthorized, http.StatusForbidden:
		return ErrCredential
	default:
		return fmt.Errorf("%w: status %d", ErrUnavailable, response.StatusCode)
	}
}

// connectionError reports whether err is of the connection and not of the time that ran out.
func connectionError(err error) bool {
	var timeout net.Error
	return !errors.Is(err, context.Canceled) && (!errors.As(err, &timeout) || !timeout.Timeout())
}
