// Package directive registers handlers without settings, and reads the arguments of directives in a Caddyfile.
package directive

import (
	"net/http"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

// handler is a module that has no settings.
type handler struct {
	id    caddy.ModuleID
	serve caddyhttp.HandlerFunc
}

// CaddyModule returns the Caddy module information.
func (h *handler) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: h.id, New: func() caddy.Module { return &handler{h.id, h.serve} }}
}

// ServeHTTP implements caddyhttp.MiddlewareHandler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request, _ caddyhttp.Handler) error {
	return h.serve(w, r)
}

// Handle registers a function as the module http.handlers.NAME, and as a directive that comes before another one.
// Syntax:
//
//	<name> [<matcher>]
func Handle(name, before string, serve caddyhttp.HandlerFunc) {
	module := &handler{caddy.ModuleID("http.handlers." + name), serve}
	caddy.RegisterModule(module)
	httpcaddyfile.RegisterHandlerDirective(name, func(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
		h.Next() // the directive's name
		if h.NextArg() || h.NextBlock(0) {
			return nil, h.ArgErr()
		}
		return module, nil
	})
	httpcaddyfile.RegisterDirectiveOrder(name, httpcaddyfile.Before, before)
}

// Optional is where Read puts an argument that may be missing.
type Optional *string

// Read reads the arguments of a directive, one for each of to: a *string, an *int for a whole number from 1, a
// *caddy.Duration for one that is not zero, an Optional, or a *[]string for all that are left.
func Read(d *caddyfile.Dispenser, to ...any) error {
	for _, one := range to {
		switch one := one.(type) {
		case *[]string:
			*one = d.RemainingArgs()
			continue
		case Optional:
			d.Args(one)
			continue
		}
		if !d.NextArg() {
			return d.ArgErr()
		}
		switch one := one.(type) {
		case *string:
			*one = d.Val()
		case *int:
			n, err := strconv.Atoi(d.Val())
			if err != nil || n < 1 {
				return d.Errf("%q must be a whole number from 1", d.Val())
			}
			*one = n
		case *caddy.Duration:
			length, err := caddy.ParseDuration(d.Val())
			if err != nil || length <= 0 {
				return d.Errf("%q is no duration", d.Val())
			}
			*one = caddy.Duration(length)
		}
	}
	if d.NextArg() {
		return d.ArgErr()
	}
	return nil
}
