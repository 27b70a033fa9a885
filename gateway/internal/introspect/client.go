package introspect

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
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
)

// probe is a well-formed token whose id was never given out. Asking for it shows whether tokens can be
// checked without needing a token.
const probe = "shpt_test_000000000000_000000000000000000000000000000004VaWUc"

// client asks the tokens service over HTTP (RFC 7662, section 2.1).
type client struct {
	endpoint   string
	credential string
	http       *http.Client
}

func newClient(endpoint, credential string) *client {
	return &client{
		endpoint:   endpoint,
		credential: credential,
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

	switch response.StatusCode {
	case http.StatusOK:
	case http.StatusUnauthorized, http.StatusForbidden:
		return Answer{}, ErrCredential
	default:
		return Answer{}, fmt.Errorf("%w: status %d", ErrUnavailable, response.StatusCode)
	}
	answer, err := decode(response.Body)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return answer, nil
}

func (c *client) post(ctx context.Context, token string) (*http.Response, error) {
	form := url.Values{"token": {token}}.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.endpoint, strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.credential)
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	return c.http.Do(request)
}

// connectionError reports whether err is of the connection and not of the time that ran out.
func connectionError(err error) bool {
	var timeout net.Error
	return !errors.Is(err, context.Canceled) && (!errors.As(err, &timeout) || !timeout.Timeout())
}
