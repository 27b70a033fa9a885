package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"time"
)

// Bounds of a response, kept by exchange and by net/http's transport alike. Otherwise the response is a 502.
const (
	// maxHead bounds the header section, in bytes.
	maxHead = 1 << 20
	// maxInterim bounds the 1xx responses before the final one.
	maxInterim = 5
	// bodyIdle bounds a pause in the body.
	bodyIdle = 15 * time.Second
)

var errInterim = errors.New("too many 1xx responses")

// isInterim reports whether status is 1xx and a final response follows.
func isInterim(status int) bool {
	return status >= 100 && status <= 199 && status != http.StatusSwitchingProtocols
}

// checkStatus returns an error for a status that is not forwarded.
func checkStatus(status int) error {
	switch {
	case status == http.StatusSwitchingProtocols:
		return errors.New("the service switched protocols without a request to")
	case status < 200 || status > 599:
		return fmt.Errorf("%03d is not the status of a response", status)
	default:
		return nil
	}
}

// countInterim makes net/http's transport count the 1xx responses to r.
func countInterim(r *http.Request) *http.Request {
	n := 0
	return r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(int, textproto.MIMEHeader) error {
			if n++; n > maxInterim {
				return errInterim
			}
			return nil
		},
	}))
}
