// Package profiles is the Caddy module http.handlers.token_gate_profiles: the profiles of net/http/pprof at
// /debug/pprof/. Anyone who reaches them can make the process slow, so they belong on a listener that is not published.
package profiles

import (
	"net/http"
	_ "net/http/pprof" //nolint:gosec // G108: nothing else serves http.DefaultServeMux

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
)

func init() {
	caddy.RegisterModule(new(Profiles))
	directive.Register[Profiles]("token_gate_profiles", "respond")
}

// Profiles serves the profiles of the process.
type Profiles struct{}

// CaddyModule returns the Caddy module information.
func (*Profiles) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "http.handlers.token_gate_profiles", New: func() caddy.Module { return new(Profiles) }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (*Profiles) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	http.DefaultServeMux.ServeHTTP(w, r)
	return nil
}
