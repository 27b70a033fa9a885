package tokengate

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// Readiness is that of all gates of the process, so this test does not run in parallel with others.
func TestReadinessFollowsTheTokensServiceUntilItsFirstAnswer(t *testing.T) {
	check := func() (int, string) {
		w := httptest.NewRecorder()
		if err := ready(w, httptest.NewRequest(http.MethodGet, "/readyz", nil)); err != nil {
			t.Error(err)
		}
		return w.Code, w.Body.String()
	}
	if status, text := check(); status != http.StatusServiceUnavailable || text != "no token_gate is configured\n" {
		t.Errorf("without a gate: %d %s", status, text)
	}
	g := newTestGate(t, new(Gate), "")
	if status, text := check(); status != http.StatusServiceUnavailable || text != "tokens service not reached yet\n" {
		t.Errorf("without an answer: %d %s", status, text)
	}
	g.setBody(`{"active":false}`)
	for deadline := time.Now().Add(20 * time.Second); ; {
		status, text := check()
		if status == http.StatusOK && text == "ready\n" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with an answer: %d %s", status, text)
		}
	}
	g.setBody("")
	if status, text := check(); status != http.StatusOK || !strings.HasPrefix(text, "ready, degraded") {
		t.Errorf("after a failure: %d %s", status, text)
	}
	if !g.outage.Down() {
		t.Error("the failure is no outage")
	}
}
