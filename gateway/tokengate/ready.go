package tokengate

import (
	"net/http"
	"slices"

	"github.com/caddyserver/caddy/v2"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() { directive.Handle("token_gate_ready", "respond", ready) }

// ready is the readiness check of the gates of this process: 200 once every tokens service that they use has given
// one usable answer, and 503 before that and while the process shuts down.
//
// A tokens service that fails later does not change it. That would take all gateways out of a load balancer at once,
// although each still serves the tokens in its cache, and responds with 503 to others. The response contains
// "degraded" then, and the metric quayside_gateway_degraded is 1. Redis is not checked at all.
func ready(w http.ResponseWriter, r *http.Request) error {
	used := slices.Collect(tokensServices.All())
	status, text := http.StatusOK, "ready\n"
	for _, tokens := range used {
		err := tokens.introspector.Probe(r.Context())
		tokens.outage.Note(err)
		switch {
		case !tokens.introspector.Reached():
			status, text = http.StatusServiceUnavailable, "tokens service not reached yet\n"
		case err != nil && status == http.StatusOK:
			text = "ready, degraded: tokens service unavailable\n"
		}
	}
	if len(used) == 0 {
		status, text = http.StatusServiceUnavailable, "no token_gate is configured\n"
	}
	if caddy.Exiting() {
		status, text = http.StatusServiceUnavailable, "shutting down\n"
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(status)
	_, err := w.Write([]byte(text))
	return err
}
