package transport

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

func TestCodesOfOutcomesAreBounded(t *testing.T) {
	t.Parallel()
	for want, err := range map[string]error{
		"canceled":       fmt.Errorf("deep: %w", context.Canceled),
		"not_found":      fmt.Errorf("deep: %w", shipments.ErrNotFound),
		"unavailable":    fmt.Errorf("deep: %w: %w", shipments.ErrUnavailable, context.DeadlineExceeded),
		"internal_error": errors.New("anything else"),

		"too_many_webhook_endpoints": webhooks.ErrTooMany,
	} {
		if got := Code(err); got != want {
			t.Errorf("%v is %s, want %s", err, got, want)
		}
	}
}
