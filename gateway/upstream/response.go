package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Bounds of a response, kept by exchange and by net/http's transport alike. Otherwise the response is a 502.
const (
	// maxHead bounds the header section, in bytes, with those of the 1xx responses before it.
	maxHead = 1 << 20
	// bodyIdle bounds a pause in the body.
	bodyIdle = 15 * time.Second
)

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
