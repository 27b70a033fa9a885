package integration

import (
	"net/http"
	"strings"
	"syscall"
	"testing"
)

// Buffered lines are written at shutdown: every response that a client received has its line.
func TestShutdownWritesEveryLineOfTheAccessLog(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create("")
	requests := 20 + g.introspect(t, token)
	for range 20 {
		if a := g.get(t, "/api/v1/shipments", newCaller(t), token); a.StatusCode != http.StatusOK {
			t.Fatal(a.Status)
		}
	}
	if err := g.process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	g.waitForLog(t, "shutdown complete")
	if n := strings.Count(g.log.String(), `"http.log.access"`); n != requests {
		t.Errorf("%d lines for %d requests:\n%s", n, requests, g.log)
	}
}
