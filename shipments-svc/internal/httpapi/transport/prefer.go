package transport

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// preferredWait reads the preference wait of a Prefer header (RFC 7240, 4.3),
// in whole seconds and at most MaxWait. A malformed preference is ignored; of
// several the first counts. The gateway's route for waiting matches the same.
func preferredWait(r *http.Request) time.Duration {
	for preference := range strings.SplitSeq(strings.Join(r.Header.Values("Prefer"), ","), ",") {
		preference, _, _ = strings.Cut(preference, ";")
		name, value, _ := strings.Cut(preference, "=")
		if !strings.EqualFold(strings.Trim(name, " \t"), "wait") {
			continue
		}
		seconds, err := strconv.ParseUint(strings.Trim(strings.TrimSpace(value), `"`), 10, 31)
		if errors.Is(err, strconv.ErrRange) {
			return shipments.MaxWait
		}
		if err != nil {
			return 0
		}
		return min(time.Duration(seconds)*time.Second, shipments.MaxWait)
	}
	return 0
}
