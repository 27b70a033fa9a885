package tokengate

import (
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
)

func init() {
	httpcaddyfile.RegisterHandlerDirective("token_gate", parseGate)
	// Before the first directive of all: no handler may see a request that the gate has not seen.
	httpcaddyfile.RegisterDirectiveOrder("token_gate", httpcaddyfile.Before, "tracing")
}

func parseGate(h httpcaddyfile.Helper) (caddyhttp.MiddlewareHandler, error) {
	gate := new(Gate)
	return gate, gate.UnmarshalCaddyfile(h.Dispenser)
}

// UnmarshalCaddyfile sets up the handler from Caddyfile tokens. Syntax:
//
//	token_gate {
//	    introspection   <url>
//	    credential      {env.NAME}|{file.PATH}
//	    signing_key     {env.NAME}|{file.PATH}
//	    redis           {env.NAME}|{file.PATH}
//	    redis_down      local|deny|allow
//	    replicas        <number of gateways>
//	    cors_origins    [<origin...>]
//	    issuer          <issuer>
//	    demo            <true when demo credentials are accepted>
//	}
//
// Each subdirective may be given once.
func (g *Gate) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the directive's name
	if d.NextArg() {
		return d.ArgErr()
	}

	single := map[string]*string{
		"introspection": &g.Introspection,
		"credential":    &g.Credential,
		"signing_key":   &g.SigningKey,
		"redis":         &g.Redis,
		"redis_down":    &g.RedisDown,
		"replicas":      &g.Replicas,
		"issuer":        &g.Issuer,
		"demo":          &g.Demo,
	}
	for d.NextBlock(0) {
		name := d.Val()
		if name == "cors_origins" {
			g.CORSOrigins = d.RemainingArgs()
			continue
		}
		value, known := single[name]
		if !known || *value != "" {
			return d.Errf("subdirective %s is unknown or given twice", name)
		}
		if !d.Args(value) || d.NextArg() {
			return d.ArgErr()
		}
	}
	return nil
}
