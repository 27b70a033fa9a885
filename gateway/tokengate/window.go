package tokengate

import (
	"net/http"
	"strconv"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// The names of the kinds of window in RateLimit-Policy, in metrics and, but for the token's, in Redis.
const (
	tokenWindow   = "token"
	addressWindow = "address"
	pageWindow    = "page"
	signInWindow  = "sign-in"
	publicWindow  = "public"
)

// windowState is the window that a response reports.
type windowState struct {
	policy string
	ratelimit.Result
}

// secondsLeft is the time until the window resets, rounded up so that waiting so long is enough, and at
// least 1.
func (s windowState) secondsLeft() int {
	left := s.Reset.Sub(s.Now)
	return max(int((left+time.Second-1)/time.Second), 1)
}

// setHeaders sets the documented X-RateLimit headers, spelt as documented although net/http would write
// X-Ratelimit, and the IETF draft's (draft-ietf-httpapi-ratelimit-headers). The values share one string
// and one array, because this runs for each answer.
func (s windowState) setHeaders(header http.Header) {
	var space [96]byte
	text := strconv.AppendInt(space[:0], int64(s.Quota.Limit), 10)
	limitEnd := len(text)
	text = strconv.AppendInt(text, int64(s.Remaining), 10)
	remainingEnd := len(text)
	text = strconv.AppendInt(text, s.Reset.Unix(), 10)
	resetEnd := len(text)

	text = append(append(append(text, '"'), s.policy...), `";q=`...)
	text = strconv.AppendInt(text, int64(s.Quota.Limit), 10)
	text = append(text, ";w="...)
	text = strconv.AppendInt(text, int64(s.Quota.Window/time.Second), 10)
	policyEnd := len(text)

	text = append(append(append(text, '"'), s.policy...), `";r=`...)
	text = strconv.AppendInt(text, int64(s.Remaining), 10)
	text = append(text, ";t="...)
	text = strconv.AppendInt(text, int64(s.secondsLeft()), 10)

	all := string(text)
	values := [...]string{
		all[:limitEnd],
		all[limitEnd:remainingEnd],
		all[remainingEnd:resetEnd],
		all[resetEnd:policyEnd],
		all[policyEnd:],
	}
	header["X-RateLimit-Limit"] = values[0:1:1]
	header["X-RateLimit-Remaining"] = values[1:2:2]
	header["X-RateLimit-Reset"] = values[2:3:3]
	header["RateLimit-Policy"] = values[3:4:4]
	header["RateLimit"] = values[4:5:5]
}
