package devstack

import (
	"slices"
	"testing"
)

// Every documented setting reaches the gateway of `make run`, except for those that
// the stack sets, and no other variable does.
func TestTheGatewaysSettingsArePassedThrough(t *testing.T) {
	t.Parallel()
	at := "127.0.0.1:1"
	s := &Stack{ports: ports{gateway: at, gatewayInner: at, shipments: at, tokens: at, tokensInner: at}, RedisURL: "redis://" + at, opts: Options{Root: "../../..", Environ: func(name string) (string, bool) { return "of-" + name, true }}}
	gateway, err := s.describeGateway(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"WINDOWS_MODE", "REDIS_DOWN", "GATEWAY_REPLICAS", "TRUSTED_PROXIES", "LOG_LEVEL", "CORS_ALLOWED_ORIGINS", "GATEWAY_SHUTDOWN_DELAY"} {
		if got := valuesOf(gateway.Env, name); !slices.Equal(got, []string{"of-" + name}) {
			t.Errorf("%s is %q", name, got)
		}
	}
	for _, name := range []string{"GATEWAY_ADDRESS", "GATEWAY_SIGNING_KEY_FILE", "GATEWAY_TLS", "REDIS_URL", "SHIPMENTS_HOST", "TOKENS_INTERNAL_URL"} {
		if got := valuesOf(gateway.Env, name); len(got) != 1 || got[0] == "of-"+name {
			t.Errorf("%s is %q, which the stack decides", name, got)
		}
	}
	for _, name := range []string{"GATEWAY_SIGNING_KEY", "GATEWAY_CREDENTIAL", "REDIS_URL_FILE", "HOME", "DATABASE_URL"} {
		if got := valuesOf(gateway.Env, name); len(got) > 0 {
			t.Errorf("%s is passed on: %q", name, got)
		}
	}

	s.opts = Options{Root: "../../..", TrustedProxies: "192.0.2.1/32"}
	if gateway, err = s.describeGateway(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := valuesOf(gateway.Env, "TRUSTED_PROXIES"); !slices.Equal(got, []string{"192.0.2.1/32"}) {
		t.Errorf("without an environment TRUSTED_PROXIES is %q", got)
	}
}

// valuesOf returns the values that env gives a variable.
func valuesOf(env []string, name string) (values []string) {
	for _, entry := range env {
		if len(entry) > len(name) && entry[:len(name)+1] == name+"=" {
			values = append(values, entry[len(name)+1:])
		}
	}
	return values
}
