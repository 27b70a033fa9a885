package integration

import "testing"

// startBare runs a Caddy that only forwards requests to service, a host:port, for comparison. It is the same program.
func startBare(t *testing.T, service string) *gateway {
	t.Helper()
	public, inner := freePort(t), freePort(t)
	bare := &gateway{url: "http://127.0.0.1:" + public, inner: "http://127.0.0.1:" + inner, log: new(lockedBuffer)}
	bare.launch(t, "testdata/bare.Caddyfile", map[string]string{
		becomeGateway:           "1",
		"GATEWAY_ADDRESS":       ":" + public,
		"GATEWAY_INNER_ADDRESS": ":" + inner,
		"SHIPMENTS":             service,
	})
	return bare
}
