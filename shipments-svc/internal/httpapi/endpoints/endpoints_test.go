package endpoints

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

type seen struct {
	operation string
	err       error
}

func wiring(observed *[]seen) Wiring {
	return Wiring{Timeout: time.Second, Failed: func(operation string, err error) {
		*observed = append(*observed, seen{operation, err})
	}}
}

func request(decode func() (any, error)) Request {
	return Request{Org: shipments.OrgID{7}, Permissions: []string{"other", "shipments:read"}, Decode: decode}
}

func four() (any, error) { return 4, nil }

func TestEndpointGetsOrganizationAndDecodedRequest(t *testing.T) {
	t.Parallel()
	var observed []seen
	e := New(
		wiring(&observed),
		"double",
		ReadShipments,
		func(_ context.Context, org shipments.OrgID, n int) (string, error) {
			if org != (shipments.OrgID{7}) || n != 4 {
				t.Errorf("called with %v, %d", org, n)
			}
			return "eight", nil
		},
	)
	response, err := e(t.Context(), request(four))
	if response != "eight" || err != nil {
		t.Errorf("%v, %v", response, err)
	}
	if observed != nil {
		t.Errorf("observed %+v", observed)
	}
}

func TestPermissionIsCheckedBeforeDecoding(t *testing.T) {
	t.Parallel()
	var observed []seen
	e := New(wiring(&observed), "x", WriteShipments, func(context.Context, shipments.OrgID, int) (int, error) {
		t.Error("the method was called")
		return 0, nil
	})
	_, err := e(t.Context(), request(func() (any, error) {
		t.Error("the request was decoded")
		return 0, nil
	}))
	refused, ok := errors.AsType[*assertion.PermissionError](err)
	if !ok || refused.Needs != string(WriteShipments) ||
		err.Error() != "this needs shipments:write; the token has other shipments:read" {
		t.Errorf("%v", err)
	}
	if len(observed) != 1 || !errors.Is(observed[0].err, err) {
		t.Errorf("observed %+v", observed)
	}
}

func TestDecodingErrorIsReturned(t *testing.T) {
	t.Parallel()
	var observed []seen
	want := errors.New("malformed")
	e := New(wiring(&observed), "x", ReadShipments, func(context.Context, shipments.OrgID, int) (int, error) {
		t.Error("the method was called")
		return 0, nil
	})
	if _, err := e(t.Context(), request(func() (any, error) { return nil, want })); !errors.Is(err, want) {
		t.Errorf("%v", err)
	}
}

// TestTheTimeoutBeginsAfterDecoding: a body that comes slowly, or waits for its turn,
// leaves the method its whole timeout.
func TestTheTimeoutBeginsAfterDecoding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var observed []seen
		start := time.Now()
		e := New(wiring(&observed), "x", ReadShipments, func(ctx context.Context, _ shipments.OrgID, _ int) (int, error) {
			<-ctx.Done()
			return 0, ctx.Err()
		})
		_, err := e(t.Context(), request(func() (any, error) {
			<-time.After(10 * time.Second) // of the test's own clock
			return 4, nil
		}))
		if !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != 11*time.Second {
			t.Errorf("%v after %s, want ten seconds of decoding and a timeout of one", err, time.Since(start))
		}
	})
}
