// Package shipped registers the modules of the shipped gateway: those that others can use, those that only it has, and
// Caddy's own.
package shipped

import (
	"net/http"
	_ "net/http/pprof" //nolint:gosec // G108: only token_gate_profiles serves http.DefaultServeMux

	"github.com/redis/go-redis/v9/logging"

	_ "github.com/quayside/quayside/gateway"
	_ "github.com/quayside/quayside/gateway/apidocs"
	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	_ "github.com/quayside/quayside/gateway/internal/caddy/health"
	_ "github.com/quayside/quayside/gateway/internal/caddy/stock"
)

func init() {
	// The profiles of net/http/pprof at /debug/pprof/. Anyone who reaches them can make the process slow, so they belong
	// on a listener that is not published.
	directive.Handle("token_gate_profiles", "respond", func(w http.ResponseWriter, r *http.Request) error {
		http.DefaultServeMux.ServeHTTP(w, r)
		return nil
	})
	// go-redis would log a line of its own for each failed connection, beside that of the gate.
	logging.Disable()
}
