// Package directive registers directives of the Caddyfile.
package directive

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// Register registers a directive without arguments, which comes before another one. Each use of it is a new H. Syntax:
//
//	<name> [<matcher>]
func Register[H any, P interface {
	*H
	caddyhttp.MiddlewareHandler
}](name, before string) {
	httpcaddyfile.RegisterHandlerDirective(name, func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h.Next() // the directive's name
		if h.NextArg() || h.NextBlock(0) {
			return nil, h.ArgErr()
		}
		return P(new(H)), nil
	})
	httpcaddyfile.RegisterDirectiveOrder(name, httpcaddyfile.Before, before)
}
