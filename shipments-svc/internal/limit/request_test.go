package limit_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/quayside/quayside/shipments-svc/internal/limit"
)

// TestRequestsKeepWhatTheyWereAdmittedTo until they end: an organization's next one waits
// that long, no other organization's does, and one that does not get it in time is refused.
func TestRequestsKeepWhatTheyWereAdmittedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := limit.New[string](2, 1)
		const mine, other = "mine", "other"
		first, end := limit.Begin(t.Context())
		second, endSecond := limit.Begin(t.Context())
		third, endThird := limit.Begin(t.Context())
		enter := func(ctx context.Context, org string, want error) {
			t.Helper()
			if err := a.Enter(ctx, org, 1); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		enter(first, mine, nil)
		enter(first, mine, nil) // again
		enter(second, mine, limit.ErrBusy)
		enter(third, other, nil)
		enter(t.Context(), mine, nil) // not a request's
		waiting := make(chan error)
		go func() { waiting <- a.Enter(second, mine, 1) }()
		synctest.Wait()
		end()
		if err := <-waiting; err != nil {
			t.Errorf("once the first had ended: %v", err)
		}
		endSecond()
		endThird()
	})
}
