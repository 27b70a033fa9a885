package tokengate

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"time"

	"github.com/caddyserver/caddy/v2"

	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// Zone is a window of requests with a token: of those with the same key, so many are allowed in each window.
type Zone struct {
	// Name is that of the policy in the headers RateLimit and RateLimit-Policy.
	Name string `json:"name,omitempty"`
	// Key has placeholders, such as {http.auth.user.id} or {client_ip}. A request whose key is empty is not counted.
	Key string `json:"key,omitempty"`
	// Requests is how many are allowed, at most 1,000,000.
	Requests int `json:"requests,omitempty"`
	// Window is its length in whole seconds, at most a day.
	Window caddy.Duration `json:"window,omitempty"`
}

// validate accepts the zero Zone, the default of the limit.
func (z Zone) validate() error {
	window := time.Duration(z.Window)
	whole := window >= time.Second && window <= introspect.MaxWindow && window%time.Second == 0
	if z != (Zone{}) && (!whole || z.Requests < 1 || z.Requests > introspect.MaxLimit) {
		return fmt.Errorf("limit or zone %s: 1 to 1000000 requests in whole seconds, at most 24h", z.Name)
	}
	return nil
}

// maxKeyBytes is the longest key that is not replaced by its digest.
const maxKeyBytes = 64

// zoneWindows returns the windows that a request with a token is counted in, of which limit is its own.
func (x *exchange) zoneWindows(r *http.Request, limit ratelimit.Window) []ratelimit.Window {
	repl := r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer)
	var windows []ratelimit.Window
	count := func(w ratelimit.Window, key string) {
		if key = repl.ReplaceAll(key, ""); key == "" {
			return
		}
		if len(key) > maxKeyBytes {
			digest := sha256.Sum256([]byte(key))
			key = hex.EncodeToString(digest[:])
		}
		windows = append(windows, w.Of("zone:"+w.Policy+":"+key))
	}
	if x.gate.Limit.Key == "" {
		windows = append(windows, limit)
	} else {
		count(limit, x.gate.Limit.Key)
	}
	for _, z := range x.gate.Zones {
		count(ratelimit.Window{Policy: z.Name, Limit: z.Requests, Length: time.Duration(z.Window)}, z.Key)
	}
	return windows
}
