// Package gateway registers every Caddy module of Quayside's gateway. Import it for its side effects into a Caddy
// build, as xcaddy does:
//
//	xcaddy build --with github.com/quayside/quayside/gateway@v1.0.0
package gateway

import (
	_ "github.com/quayside/quayside/gateway/apidocs"
	_ "github.com/quayside/quayside/gateway/connections"
	_ "github.com/quayside/quayside/gateway/drain"
	_ "github.com/quayside/quayside/gateway/internal/caddy/health"
	_ "github.com/quayside/quayside/gateway/internal/caddy/profiles"
	_ "github.com/quayside/quayside/gateway/internal/environment"
	_ "github.com/quayside/quayside/gateway/tokengate"
	_ "github.com/quayside/quayside/gateway/upstream"
)
