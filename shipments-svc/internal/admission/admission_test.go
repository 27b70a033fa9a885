package admission_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/quayside/quayside/shipments-svc/internal/admission"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// begin returns the context of a request that is being handled until end.
func begin(t *testing.T) (ctx context.Context, end func()) {
	t.Helper()
	got, over, done := make(chan context.Context), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		admission.Handler(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			got <- r.Context()
			<-over
		})).ServeHTTP(nil, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", http.NoBody))
	}()
	return <-got, func() { close(over); <-done }
}

// TestRequestsKeepWhatTheyWereAdmittedTo until they end: an organization's next one waits
// that long, no other organization's does, and one that does not get it in time is refused.
func TestRequestsKeepWhatTheyWereAdmittedTo(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := admission.New(2, 1)
		mine, other := shipments.OrgID{1}, shipments.OrgID{2}
		first, end := begin(t)
		second, endSecond := begin(t)
		third, endThird := begin(t)
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
