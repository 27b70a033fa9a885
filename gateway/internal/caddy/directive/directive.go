// Package directive registers and parses directives of the Caddyfile.
package directive

import (
	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
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

// Duration parses a directive whose one argument, if it has any, is a duration. Syntax:
//
//	<name> [<duration>]
func Duration(d *caddyfile.Dispenser) (length caddy.Duration, err error) {
	d.Next()
	if name := d.Val(); d.NextArg() {
		parsed, err := caddy.ParseDuration(d.Val())
		if err != nil || parsed < 0 {
			return 0, d.Errf("%s: %s is not a duration", name, d.Val())
		}
		length = caddy.Duration(parsed)
	}
	if d.NextArg() || d.NextBlock(0) {
		return 0, d.ArgErr()
	}
	return length, nil
}
