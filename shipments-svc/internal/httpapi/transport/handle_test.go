package transport

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/problem"
	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/limit"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// handled returns the status and headers that answer a request by a token with these permissions to a route, and what
// was observed of it.
func handled(
	t *testing.T, permissions string, decode func(*http.Request) (int, error), do method[int, string],
) (status int, header http.Header, observed []error) {
	t.Helper()
	rt := router{
		Routes: problem.NewRoutes(), log: slog.New(slog.DiscardHandler),
		config: Config{Timeout: time.Second, Failed: func(_ string, err error) { observed = append(observed, err) }},
	}
	handle(rt, "GET /api/v1/shipments", decode, do, func(_ *http.Request, missing string) reply {
		return reply{status: http.StatusOK, file: &shipments.StoredFile{
			Open: func(context.Context) (shipments.OpenFile, error) { return nil, errors.New(missing) },
		}}
	})
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "/api/v1/shipments", nil)
	r.Header.Set(assertion.HeaderOrganization, publicid.New("org"))
	r.Header.Set(assertion.HeaderToken, publicid.New("tok"))
	r.Header.Set(assertion.HeaderPermissions, permissions)
	w := httptest.NewRecorder()
	identified(rt.Routes).ServeHTTP(w, r)
	return w.Code, w.Header(), observed
}

func TestPermissionIsCheckedBeforeDecoding(t *testing.T) {
	t.Parallel()
	status, _, observed := handled(t, "other", func(*http.Request) (int, error) {
		t.Error("the request was decoded")
		return 0, nil
	}, nil)
	if status != http.StatusForbidden || len(observed) != 1 ||
		!errors.As(observed[0], new(*assertion.PermissionError)) {
		t.Errorf("%d, observed %v", status, observed)
	}
}

// TestWhatFailsOnceItIsToBeSentIsObserved, as what fails before is.
func TestWhatFailsOnceItIsToBeSentIsObserved(t *testing.T) {
	t.Parallel()
	status, _, observed := handled(t, "shipments:read", func(*http.Request) (int, error) { return 0, nil },
		func(context.Context, shipments.OrgID, int) (string, error) { return "no such file", nil })
	if status != http.StatusInternalServerError || fmt.Sprint(observed) != "[no such file]" {
		t.Errorf("%d, observed %v", status, observed)
	}
}

// TestTheTimeoutBeginsAfterDecoding: a body that comes slowly, or waits for its turn,
// leaves the method its whole timeout.
func TestTheTimeoutBeginsAfterDecoding(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		status, _, _ := handled(t, "shipments:read", func(*http.Request) (int, error) {
			<-time.After(10 * time.Second) // of the test's own clock
			return 4, nil
		}, func(ctx context.Context, _ shipments.OrgID, _ int) (string, error) {
			<-ctx.Done()
			return "", ctx.Err()
		})
		if status != http.StatusServiceUnavailable || time.Since(start) != 11*time.Second {
			t.Errorf("%d after %s, want ten seconds of decoding and a timeout of one", status, time.Since(start))
		}
	})
}

// TestProblemsThatPassSayWhenToTryAgain.
func TestProblemsThatPassSayWhenToTryAgain(t *testing.T) {
	t.Parallel()
	for err, want := range map[error]string{
		shipments.ErrKeyInProgress: "409 1", limit.ErrShare: "429 5", limit.ErrTotal: "503 2",
		shipments.ErrUnavailable: "503 2", context.DeadlineExceeded: "503 2", shipments.ErrNotFound: "404 ",
	} {
		status, header, _ := handled(t, "shipments:read", func(*http.Request) (int, error) { return 0, err }, nil)
		if got := fmt.Sprint(status, " ", header.Get("Retry-After")); got != want {
			t.Errorf("%v: %s, want %s", err, got, want)
		}
	}
}
