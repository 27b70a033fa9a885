package integration

import (
	"net"
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
