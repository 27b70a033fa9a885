package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"time"
)

// What a service may respond with. Both ways to it, exchange and net/http's transport, keep to these bounds; a response
// that does not is a 502.
const (
	// maxHead bounds the header section of a response, in bytes.
	maxHead = 1 << 20
	// maxInterim is how many 1xx responses may come before the final one.
	maxInterim = 5
	// bodyIdle is how long the body of a response may pause.
	bodyIdle = 15 * time.Second
)

var errInterim = errors.New("too many 1xx responses")

// isInterim reports whether a final response follows one with this status.
func isInterim(status int) bool {
	return status >= 100 && status <= 199 && status != http.StatusSwitchingProtocols
}

// checkStatus returns nil for the status of a final response that may go to a client.
func checkStatus(status int) error {
	switch {
	case status == http.StatusSwitchingProtocols:
		return errors.New("the service changed the protocol without being asked")
	case status < 200 || status > 599:
		return fmt.Errorf("%03d is not the status of a response", status)
	default:
		return nil
	}
}

// countInterim has net/http's transport count the 1xx responses to r.
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
