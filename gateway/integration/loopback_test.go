package integration

import (
	"crypto/rand"
	"fmt"
	"testing"
)

// withoutRedis is the environment of a gateway that counts in memory, so that no response depends on the time that
// Redis takes.
func withoutRedis(t testing.TB) map[string]string {
	t.Helper()
	return map[string]string{"REDIS_URL": "redis://127.0.0.1:" + freePort(t), "REDIS_DOWN": "local"}
}

// newLoopback returns a loopback address that no other test uses.
func newLoopback(t testing.TB) string {
	t.Helper()
	var b [3]byte
	if _, err := rand.Read(b[:]); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("127.%d.%d.%d", 100+b[0]%100, b[1], 1+b[2]%254)
}
