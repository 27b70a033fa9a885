package admission_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"github.com/quayside/quayside/shipments-svc/internal/admission"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestRequestsKeepWhatTheyWereAdmittedTo until they end: an organization's next one waits
// that long, no other organization's does, and one that does not get it in time is refused.
func TestRequestsKeepWhatTheyWereAdmittedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := admission.New(2, 1)
		mine, other := shipments.OrgID{1}, shipments.OrgID{2}
		first, end := admission.Begin(t.Context())
		second, endSecond := admission.Begin(t.Context())
		third, endThird := admission.Begin(t.Context())
		enter := func(ctx context.Context, org shipments.OrgID, want error) {
			t.Helper()
			if err := a.Enter(ctx, org, 1); !errors.Is(err, want) {
				t.Errorf("%v, want %v", err, want)
			}
		}
		enter(first, mine, nil)
		enter(first, mine, nil) // again
		enter(second, mine, admission.ErrBusy)
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
