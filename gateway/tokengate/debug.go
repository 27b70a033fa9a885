package tokengate

import (
	"encoding/json"
	"net/http"
	"net/http/pprof"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/introspect"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func init() {
	caddy.RegisterModule(new(Debug))
	directive.Register[Debug]("token_gate_debug", "respond")
}

// Debug serves the profiles of net/http/pprof at /debug/pprof/, and at /debug/state the state of the gates of this
// process: circuit breakers, caches and change streams. Anyone who reaches it can make the process slow, so it belongs
// on a listener that is not published.
type Debug struct {
	mux *http.ServeMux
}

// CaddyModule returns the Caddy module information.
func (*Debug) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate_debug", New: func() caddy.Module { return new(Debug) }}
}

// Provision implements caddy.Provisioner.
func (d *Debug) Provision(caddy.Context) error {
	d.mux = http.NewServeMux()
	d.mux.HandleFunc("GET /debug/state", writeState)
	d.mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	d.mux.HandleFunc("GET /debug/pprof/cmdline", pprof.Cmdline)
	d.mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	d.mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	d.mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return nil
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (d *Debug) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	d.mux.ServeHTTP(w, r)
	return nil
}

// writeState writes the state of all gates.
func writeState(w http.ResponseWriter, _ *http.Request) {
	state := struct {
		RateLimiters   []ratelimit.State  `json:"rate_limiters"`
		TokensServices []introspect.State `json:"tokens_services"`
	}{[]ratelimit.State{}, []introspect.State{}}
	for limiter := range limiters.All() {
		state.RateLimiters = append(state.RateLimiters, limiter.State())
	}
	for service := range tokensServices.All() {
		state.TokensServices = append(state.TokensServices, service.introspector.State())
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(state) // the client has gone
}

// Interface guard
var _ caddy.Provisioner = (*Debug)(nil)
