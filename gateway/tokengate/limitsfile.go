package tokengate

import (
	"fmt"
	"strconv"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func parseLimits(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	h.Next() // the directive's name
	place := fmt.Sprintf("%s:%d", h.File(), h.Line())
	h.Reset()
	limits := new(Limits)
	if err := limits.UnmarshalCaddyfile(h.Dispenser); err != nil {
		return nil, err
	}
	return limits, limits.agree(h.State, place)
}

// agree fails if limits of this name have other numbers elsewhere in the Caddyfile or a file of routes: they count
// together. state is that of the whole Caddyfile.
func (l *Limits) agree(state map[string]any, place string) error {
	type use struct{ numbers, place string }
	for kind, quota := range map[string]*RouteQuota{
		"token": l.Token, "organization": l.Organization,
		"concurrent": {Limit: l.Concurrent},
	} {
		if quota == nil || quota.Limit == 0 {
			continue
		}
		numbers := fmt.Sprint(quota.Limit)
		if quota.Window > 0 {
			numbers += " " + time.Duration(quota.Window).String()
		}
		key := "limits " + l.Name + " " + kind
		first, ok := state[key].(use)
		if ok && first.numbers != numbers {
			return fmt.Errorf("%s: %s is %s, and %s at %s; limits of one name have the same numbers", place, key, numbers,
				first.numbers, first.place)
		}
		state[key] = use{numbers, place}
	}
	return nil
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	limits [<matcher>] <name> {
//	    cost         <requests>
//	    token        <requests> <window>
//	    organization <requests> <window>
//	    concurrent   <requests>
//	}
//
// Each subdirective may be given once.
func (l *Limits) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if !d.Args(&l.Name) || d.NextArg() {
		return d.ArgErr()
	}
	numbers := map[string]*int{"cost": &l.Cost, "concurrent": &l.Concurrent}
	windows := map[string]**RouteQuota{"token": &l.Token, "organization": &l.Organization}
	for d.NextBlock(0) {
		name, args := d.Val(), d.RemainingArgs()
		number, window := numbers[name], windows[name]
		switch {
		case number != nil && *number == 0 && len(args) == 1:
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 1 {
				return d.Errf("%s: %s is not a whole number from 1", name, args[0])
			}
			*number = n
		case window != nil && *window == nil && len(args) == 2:
			n, err := strconv.Atoi(args[0])
			length, lengthErr := caddy.ParseDuration(args[1])
			quota := &RouteQuota{Limit: n, Window: caddy.Duration(length)}
			if err != nil || lengthErr != nil || !quota.valid() {
				return d.Errf("%s: want 1 to %d requests and a window of whole seconds up to 744h, such as 1000 1m", name,
					maxRequests)
			}
			*window = quota
		default:
			return d.Errf("subdirective %s is unknown, given twice, or has a wrong number of values", name)
		}
	}
	if err := l.Validate(); err != nil {
		return d.WrapErr(err) // here, because Caddy's error of a module names no file and line
	}
	return nil
}
