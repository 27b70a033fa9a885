package tokengate

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/introspect/bearer"
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
	extended := ""
	arguments := map[string][]any{
		"introspection": {&g.Introspection, directive.Optional(&extended)}, "client": {&g.ClientID},
		"credential": {&g.Credential}, "timeout": {&g.Timeout}, "tokens": {&g.Tokens.Prefixes},
		"organizations": {&g.Organizations}, "redis": {&g.Redis}, "redis_down": {(*string)(&g.RedisDown)},
		"limit":    {&g.Limit.Requests, &g.Limit.Window, directive.Optional(&g.Limit.Key)},
		"replicas": {&g.Replicas}, "signing_key": {&g.SigningKey}, "issuer": {&g.Issuer},
		"cors_origins": {&g.CORSOrigins}, "realm": {&g.Realm}, "session_cookies": {&g.SessionCookies},
		"sign_in": {&g.SignIn}, "pages": {&g.Pages},
	}
	for d.NextBlock(0) {
		name := d.Val()
		to, known := arguments[name]
		delete(arguments, name)
		if name == "zone" {
			g.Zones = append(g.Zones, Zone{})
			z := &g.Zones[len(g.Zones)-1]
			to, known = []any{&z.Name, &z.Key, &z.Requests, &z.Window}, true
		}
		if !known {
			return d.Errf("subdirective %s is unknown or given twice", name)
		}
		if err := directive.Read(d, to...); err != nil {
			return err
		}
		if name == "tokens" {
			if err := parseFormat(d, &g.Tokens); err != nil {
				return err
			}
		}
	}
	if g.Extended = extended == "extended"; extended != "" && !g.Extended {
		return d.Errf("introspection: %s must be extended, or nothing", extended)
	}
	return nil
}

// parseFormat reads the block of tokens, if there is one.
func parseFormat(d *caddyfile.Dispenser, f *bearer.Format) error {
	for nesting := d.Nesting(); d.NextBlock(nesting); {
		var to []any
		switch name := d.Val(); name {
		case "length":
			to = []any{&f.Length}
		case "id":
			to = []any{&f.IDLength, directive.Optional(&f.Subject)}
		case "checksum":
			f.Checksum = true
		default:
			return d.Errf("tokens: %s is unknown", name)
		}
		if err := directive.Read(d, to...); err != nil {
			return err
		}
	}
	return nil
}

// Interface guard
var _ caddyfile.Unmarshaler = (*Gate)(nil)
