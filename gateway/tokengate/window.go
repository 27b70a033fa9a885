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
// X-Ratelimit, and the IETF draft's (draft-ietf-httpapi-ratelimit-headers).
func (s windowState) setHeaders(header http.Header) {
	limit, remaining := strconv.Itoa(s.Quota.Limit), strconv.Itoa(s.Remaining)
	header["X-RateLimit-Limit"] = []string{limit}
	header["X-RateLimit-Remaining"] = []string{remaining}
	header["X-RateLimit-Reset"] = []string{strconv.FormatInt(s.Reset.Unix(), 10)}
	header["RateLimit-Policy"] = []string{`"` + s.policy + `";q=` + limit + ";w=" + strconv.Itoa(int(s.Quota.Window/time.Second))}
	header["RateLimit"] = []string{`"` + s.policy + `";r=` + remaining + ";t=" + strconv.Itoa(s.secondsLeft())}
}
