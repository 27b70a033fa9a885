package integration

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/testserver"
)

// logOf returns the log once it has the lines of that many requests: a line is written after its response.
func (g *gateway) logOf(t testing.TB, requests int) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		log := g.log.String()
		if strings.Count(log, `"http.log.access"`) >= requests {
			return log
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the log has less than %d requests:\n%s", requests, log)
		case <-tick.C:
		}
	}
}

func (g *gateway) waitForLog(t *testing.T, text string) {
	t.Helper()
	eventually(t, func() bool { return strings.Contains(g.log.String(), text) }, text, g.log)
}

// eventually waits until a condition is true. If it never is, the test fails with the log.
func eventually(t *testing.T, ok func() bool, what string, log *testserver.Log) {
	t.Helper()
	deadline := time.After(2 * patience)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for !ok() {
		select {
		case <-deadline:
			t.Fatalf("%s: still false; the log:\n%s", what, log)
		case <-tick.C:
		}
	}
}

// metrics returns the response of /metrics.
func (g *gateway) metrics(t *testing.T) string {
	t.Helper()
	response, err := http.Get(g.inner + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
