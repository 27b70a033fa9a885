// Package shipped registers the modules of the shipped gateway: those that others can use, those that only it has, and
// Caddy's own.
package shipped

import (
	"github.com/redis/go-redis/v9/logging"

	_ "github.com/quayside/quayside/gateway"
	_ "github.com/quayside/quayside/gateway/apidocs"
	_ "github.com/quayside/quayside/gateway/internal/caddy/health"
	_ "github.com/quayside/quayside/gateway/internal/caddy/profiles"
	_ "github.com/quayside/quayside/gateway/internal/caddy/stock"
)

// go-redis would log a line of its own for each failed connection, beside that of the gate.
func init() { logging.Disable() }
