// Package gateway registers the Caddy modules that others can use. Import it into a Caddy build, as xcaddy does:
//
//	xcaddy build --with github.com/quayside/quayside/gateway@v1.0.0
package gateway

import (
	_ "github.com/quayside/quayside/gateway/connections"
	_ "github.com/quayside/quayside/gateway/drain"
	_ "github.com/quayside/quayside/gateway/tokengate"
	_ "github.com/quayside/quayside/gateway/upstream"
)
