package settings

import (
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
)

// GatewayKeys returns the keys that verify gateways' assertions, which are text, the
// value of GATEWAY_PUBLIC_KEYS. Without keys, or with those of development mode, it
// fails unless demo is set.
func GatewayKeys(environ []string, text string, demo bool) (assertion.Keys, error) {
	const name, hint = "GATEWAY_PUBLIC_KEYS", "set what `openssl pkey -pubout` makes of the gateway's " +
		"GATEWAY_SIGNING_KEY, or QUAYSIDE_DEMO=true for development"
	keys, err := assertion.ParseKeys(text)
	if err != nil {
		return keys, fmt.Errorf("%s: %w", name, err)
	}
	why := keys.DevelopmentOnly()
	switch {
	case why == "" || demo:
		return keys, nil
	case text == "":
		return keys, Missing(environ, name, hint)
	}
	return keys, fmt.Errorf("%s %s; %s", name, why, hint)
}
