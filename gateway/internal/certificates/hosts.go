// Package certificates checks that there is something to obtain certificates for.
package certificates

import (
	"slices"

	"github.com/caddyserver/caddy/v2/caddyconfig/httpcaddyfile"
)

func init() {
	httpcaddyfile.RegisterDirective("certificate_hosts", parse)
}

// parse fails unless one of the addresses of the site names a host with TLS: Caddy obtains certificates for hosts, and
// without any it loads, and no handshake succeeds. Syntax:
//
//	certificate_hosts [<address...>]
func parse(h httpcaddyfile.Helper) ([]httpcaddyfile.ConfigValue, error) {
	h.Next() // the directive's name
	if slices.ContainsFunc(h.RemainingArgs(), namesHost) {
		return nil, nil
	}
	return nil, h.Err("GATEWAY_TLS=auto obtains certificates for the hosts in GATEWAY_ADDRESS, which names none; " +
		"set, for example, GATEWAY_ADDRESS='https://:8080 https://api.example.com:8080'")
}

func namesHost(text string) bool {
	address, err := httpcaddyfile.ParseAddress(text)
	return err == nil && address.Host != "" && address.Scheme != "http"
}
