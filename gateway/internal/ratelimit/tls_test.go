package ratelimit_test

import (
	"crypto/x509"
	"encoding/pem"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

func TestRedisWithTLSAndTheDocumentedUser(t *testing.T) {
	t.Parallel()

	https := httptest.NewTLSServer(nil)
	defer https.Close()
	key, err := x509.MarshalPKCS8PrivateKey(https.TLS.Certificates[0].PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	file := func(name, kind string, der []byte) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	certificate := file("certificate.pem", "CERTIFICATE", https.Certificate().Raw)
	_, port, _ := net.SplitHostPort(freeAddr(t))
	startRedis(t, "tls-port "+port, "tls-cert-file "+certificate, "tls-key-file "+file("key.pem", "PRIVATE KEY", key),
		"tls-ca-cert-file "+certificate, "tls-auth-clients no", aclUser)

	client, err := ratelimit.NewClient("rediss://gateway:hunter2@127.0.0.1:" + port)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = client.Close() })
	options := client.(*redis.Client).Options()
	options.TLSConfig.RootCAs = x509.NewCertPool()
	options.TLSConfig.RootCAs.AddCert(https.Certificate())
	options.DialTimeout, options.ReadTimeout = time.Minute, time.Minute
	limiter := ratelimit.WithLongTimeout(ratelimit.New(client, deny, time.Now))
	if result, err := limiter.Take(t.Context(), perMinute.Of(ratelimit.TokenID())); err != nil || result.Remaining != 99 {
		t.Errorf("%+v, %v", result, err)
	}
}
