package integration

import (
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/internal/ratelimit/redistest"
)

// The certificate of Redis is verified with SSL_CERT_FILE.
func TestRedisWithTLSAndACLUser(t *testing.T) {
	t.Parallel()

	certificateFile, keyFile, _ := certificate(t)
	_, port, _ := net.SplitHostPort(redistest.FreeAddr(t))
	server := redistest.Start(t, "tls-port "+port, "tls-cert-file "+certificateFile, "tls-key-file "+keyFile,
		"tls-ca-cert-file "+certificateFile, "tls-auth-clients no",
		redistest.ACLUser)
	g := start(t, options{env: map[string]string{
		"REDIS_URL": "rediss://gateway:hunter2@localhost:" + port, "SSL_CERT_FILE": certificateFile,
	}})
	token, _ := g.tokens.create("")
	g.get(t, "/api/v1/shipments", newCaller(t), token)
	if keys, err := server.Client(t).Keys(t.Context(), "rate:tok_*").Result(); err != nil || len(keys) != 1 {
		t.Errorf("windows in Redis: %v, %v", keys, err)
	}
}

// Two gateways divide the limit without GATEWAY_REPLICAS.
func TestWithoutRedisTheWindowIsDividedByTheNumberOfGateways(t *testing.T) {
	t.Parallel()

	server := redistest.Start(t)
	env := map[string]string{"REDIS_URL": "redis://" + server.Addr, "REDIS_DOWN": "local"}
	tokens := newTokensService(t)
	gateways := []*gateway{start(t, options{tokens: tokens, env: env}), start(t, options{tokens: tokens, env: env})}
	for _, g := range gateways {
		eventually(t, func() bool { return strings.Contains(g.metrics(t), "quayside_gateway_replicas 2\n") }, "two gateways",
			g.log)
	}
	server.Stop()
	for _, g := range gateways {
		other, _ := tokens.create("")
		eventually(t, func() bool {
			g.get(t, "/api/v1/shipments", newCaller(t), other)
			return strings.Contains(g.log.String(), "rate limiter fails")
		}, "the circuit breaker opens", g.log)
		token, _ := tokens.create("")
		g.get(t, "/api/v1/shipments", newCaller(t), token)
		a := g.get(t, "/api/v1/shipments", newCaller(t), token)
		if left, err := strconv.Atoi(a.Header.Get("X-RateLimit-Remaining")); err != nil || left >= 50 || left < 40 {
			t.Errorf("%s, %d of the share remain", a.Status, left)
		}
	}
}
