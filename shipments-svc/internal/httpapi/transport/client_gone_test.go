package transport_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestCanceledRequestIsNoServerError: what it did not wait for is
// logged as 499, without an error, however the database reports it.
func TestCanceledRequestIsNoServerError(t *testing.T) {
	t.Parallel()
	begun, ended := make(chan struct{}), make(chan struct{})
	a := newAPIOf(t, fakeService(fakeRepository{list: func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		defer close(ended)
		return fmt.Errorf("list: %w", ctx.Err())
	}}), nil)
	ctx, leave := context.WithCancel(t.Context())
	go func() {
		<-begun
		leave()
	}()
	if _, err := a.send(ctx, call{}); err == nil {
		t.Error("there was an answer")
	}
	<-ended
	log := waitFor(t, a.log, `"msg":"request"`)
	if strings.Contains(log, `"level":"ERROR"`) || strings.Contains(log, `"level":"WARN"`) ||
		!strings.Contains(log, `"status":499`) {
		t.Errorf("the log is %s", log)
	}
	if got := a.observed.String(); got != "GET /api/v1/shipments canceled\n" {
		t.Errorf("observed %q", got)
	}
}

// waitFor waits until a log has a text, and returns the log.
func waitFor(t *testing.T, log *logBuffer, text string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !strings.Contains(log.String(), text) {
		select {
		case <-ctx.Done():
			t.Fatalf("%s is not in the log: %s", text, log)
		case <-tick.C:
		}
	}
	return log.String()
}
