package transport

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// TestLargeRequestsAreBounded: so many at once, so many of one organization; one
// without a place waits, is refused in time, and is admitted when another ends.
func TestLargeRequestsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		a := newAdmission(maxLarge, maxLargeOf)
		enter := func(org byte) (end context.CancelFunc, err error) {
			ctx, end := context.WithCancel(context.WithValue(t.Context(), callerKey{}, caller{org: shipments.OrgID{org}}))
			return end, a.enter(httptest.NewRequestWithContext(ctx, http.MethodPost, "/", nil))
		}
		var ends []context.CancelFunc
		for i := range maxLarge {
			end, err := enter(byte(i / maxLargeOf))
			if err != nil {
				t.Fatal(err)
			}
			ends = append(ends, end)
			if i+1 == maxLargeOf {
				refused, err := enter(0)
				if !errors.Is(err, errBusy) {
					t.Errorf("one more of an organization: %v", err)
				}
				refused()
			}
		}
		refused, err := enter(9)
		if p := problemOf(err); !errors.Is(err, errBusy) || p.Status != http.StatusServiceUnavailable {
			t.Errorf("one more of another organization: %v, %+v", err, p)
		}
		refused()
		admitted := make(chan error)
		go func() {
			end, err := enter(9)
			admitted <- err
			end()
		}()
		synctest.Wait()
		ends[0]()
		if err := <-admitted; err != nil {
			t.Errorf("when another ended: %v", err)
		}
		for _, end := range ends {
			end()
		}
		synctest.Wait()
		if a.total != 0 || len(a.of) != 0 {
			t.Errorf("%d are left, of %v", a.total, a.of)
		}
	})
}
