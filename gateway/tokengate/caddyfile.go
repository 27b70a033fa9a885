package tokengate

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func parseGate(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	gate := new(Gate)
	return gate, gate.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	token_gate {
//	    introspection   <url> [extended]
//	    client          <id>
//	    credential      {env.NAME}|{file.PATH}
//	    timeout         <duration>
//	    tokens          [<prefix...>] {
//	        length      <bytes>
//	        id          <bytes> [<prefix in sub>]
//	        checksum
//	    }
//	    organizations   <regular expression>
//	    limit           <requests> <duration> [<key>]
//	    zone            <name> <key> <requests> <duration>
//	    redis           {env.NAME}|{file.PATH}
//	    redis_down      local|deny|allow
//	    replicas        <number of gateways>
//	    signing_key     {env.NAME}|{file.PATH}
//	    issuer          <issuer>
//	    cors_origins    [<origin...>]
//	    realm           <realm>
//	    session_cookies <name...>
//	    sign_in         <path>
//	    pages           <path>
//	}
//
// Each subdirective but zone may be given once.
func (g *Gate) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}
	down := ""
	single := map[string]*string{
		"client": &g.ClientID, "credential": &g.Credential, "organizations": &g.Organizations, "redis": &g.Redis,
		"redis_down": &down, "signing_key": &g.SigningKey, "issuer": &g.Issuer, "realm": &g.Realm, "sign_in": &g.SignIn,
		"pages": &g.Pages,
	}
	others := map[string]func(*caddyfile.Dispenser) error{
		"introspection": g.parseIntrospection, "timeout": duration(&g.Timeout), "tokens": parseFormat(&g.Tokens),
		"limit": g.Limit.parse, "zone": g.parseZone, "replicas": number(&g.Replicas), "cors_origins": list(&g.CORSOrigins),
		"session_cookies": list(&g.SessionCookies),
	}
	seen := map[string]bool{}
	for d.NextBlock(0) {
		name := d.Val()
		value, parse := single[name], others[name]
		switch known := value != nil || parse != nil; {
		case !known || seen[name] && name != "zone":
			return d.Errf("subdirective %s is unknown or given twice", name)
		case parse != nil:
			if err := parse(d); err != nil {
				return d.Errf("%s: %v", name, err)
			}
		case !d.Args(value) || d.NextArg():
			return d.ArgErr()
		}
		seen[name] = true
	}
	g.RedisDown = ratelimit.DownPolicy(down)
	return nil
}

func (g *Gate) parseIntrospection(d *caddyfile.Dispenser) error {
	rest := d.RemainingArgs()
	if len(rest) == 0 || len(rest) > 2 || len(rest) == 2 && rest[1] != "extended" {
		return errArguments
	}
	g.Introspection, g.Extended = rest[0], len(rest) == 2
	return nil
}

// parse reads <requests> <duration> [<key>].
func (z *Zone) parse(d *caddyfile.Dispenser) error {
	if err := number(&z.Requests)(d); err != nil {
		return err
	}
	if err := duration(&z.Window)(d); err != nil {
		return err
	}
	d.Args(&z.Key)
	return nil
}

func (g *Gate) parseZone(d *caddyfile.Dispenser) error {
	var z Zone
	if !d.Args(&z.Name, &z.Key) {
		return errArguments
	}
	err := z.parse(d)
	g.Zones = append(g.Zones, z)
	return err
}

func parseFormat(f *bearer.Format) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		f.Prefixes = d.RemainingArgs()
		for nesting := d.Nesting(); d.NextBlock(nesting); {
			var err error
			switch name := d.Val(); name {
			case "length":
				err = number(&f.Length)(d)
			case "id":
				err = number(&f.IDLength)(d)
				d.Args(&f.Subject)
			case "checksum":
				f.Checksum = true
			default:
				err = fmt.Errorf("%s is unknown", name)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
}

var errArguments = errors.New("wrong number of arguments")

func list(to *[]string) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		*to = d.RemainingArgs()
		return nil
	}
}

func number(to *int) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) (err error) {
		if !d.NextArg() {
			return errArguments
		}
		if *to, err = strconv.Atoi(d.Val()); err != nil || *to < 1 {
			return fmt.Errorf("%q must be a whole number from 1", d.Val())
		}
		return nil
	}
}

func duration(to *caddy.Duration) func(*caddyfile.Dispenser) error {
	return func(d *caddyfile.Dispenser) error {
		if !d.NextArg() {
			return errArguments
		}
		parsed, err := caddy.ParseDuration(d.Val())
		if err != nil || parsed <= 0 {
			return fmt.Errorf("%q is no duration", d.Val())
		}
		*to = caddy.Duration(parsed)
		return nil
	}
}

// Interface guard
var _ caddyfile.Unmarshaler = (*Gate)(nil)
