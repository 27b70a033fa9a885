package upstream

import (
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Only a read that waits too long ends the request, and not the time between two reads, in which the client may be slow.
func TestOnlyAPauseOfTheServiceCutsABodyOff(t *testing.T) {
	t.Parallel()

	synctest.Test(t, func(t *testing.T) {
		from, to := io.Pipe()
		cut := false
		body := newIdleTimeoutBody(from, func() {
			cut = true
			_ = to.CloseWithError(context.Canceled)
		})
		for range 2 {
			time.Sleep(2 * bodyIdle)
			go func() {
				time.Sleep(bodyIdle - time.Second)
				_, _ = to.Write([]byte("x"))
			}()
			if n, err := body.Read(make([]byte, 9)); n != 1 || err != nil || cut {
				t.Fatalf("%d bytes, %v, cut off: %t", n, err, cut)
			}
		}
		time.Sleep(2 * bodyIdle)
		if synctest.Wait(); cut {
			t.Error("cut off between two reads")
		}
		start := time.Now()
		if _, err := body.Read(make([]byte, 9)); !errors.Is(err, context.Canceled) || time.Since(start) != bodyIdle {
			t.Errorf("a pause: %v after %s", err, time.Since(start))
		}
	})
}

func TestSlowStartIsLinear(t *testing.T) {
	t.Parallel()

	var o outlier
	returned := time.Unix(1_795_255_432, 0)
	o.until.Store(returned.UnixNano())
	for after, want := range map[time.Duration]float64{0: slowStartShare, slowStart / 2: .5, slowStart: 1, 2 * slowStart: 1} {
		if got := o.share(returned.Add(after)); math.Abs(got-want) > 1e-9 {
			t.Errorf("after %s: %v, want %v", after, got, want)
		}
	}
}

func TestAddressesThatChangeAreLines(t *testing.T) {
	t.Parallel()

	core, log := observer.New(zap.InfoLevel)
	failing := errors.New("no such host")
	s, err := newService("shipments-svc:8081", func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("192.0.2.2")}, failing
	})
	if err != nil {
		t.Fatal(err)
	}
	s.logger = zap.New(core)
	failed := s.lookUp(t.Context(), false)
	failed = s.lookUp(t.Context(), failed)
	failing = nil
	failed = s.lookUp(t.Context(), failed)
	s.lookUp(t.Context(), failed)
	for range ejectAfter {
		s.recordResult((*s.addresses.Load())[0], true)
	}
	var got []string
	for _, line := range log.All() {
		got = append(got, line.Message)
	}
	if len(got) != 3 || got[0] != "lookup of the service fails; the last addresses stay in use" || got[1] != "lookup of the service works again" || got[2] != "address is ejected" {
		t.Errorf("%q", got)
	}
}

func TestEachAttemptIsASpanAndARetryIsCounted(t *testing.T) {
	t.Parallel()

	recorder := tracetest.NewSpanRecorder()
	ctx, span := sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(recorder)).Tracer("").Start(t.Context(), "request")
	defer span.End()
	s := newScripted(t, answering("one"), "", answering("two")) // the connection breaks before the second response
	through := s.transport(t)
	for _, want := range []string{"one", "two"} {
		if got, err := get(ctx, through, "/"); err != nil || got != want {
			t.Fatalf("%q, %v", got, err)
		}
	}
	var results []codes.Code
	for _, attempt := range recorder.Ended() {
		results = append(results, attempt.Status().Code)
	}
	if len(results) != 3 || results[0] != codes.Unset || results[1] != codes.Error || results[2] != codes.Unset {
		t.Errorf("%v", results)
	}
	if !retriesTotal.DeleteLabelValues(through.service.name) {
		t.Error("the retry is not counted")
	}
}

func TestAForwardedRequestIsACopy(t *testing.T) {
	t.Parallel()

	handler := handlerTo(t, replicas(t, 1, func(_ http.ResponseWriter, r *http.Request) {
		if _, signed := r.Header["X-Gateway-Assertion"]; signed {
			t.Error("an empty assertion is sent")
		}
	}))
	handler.assertion = AssertionPrefix + "empty"
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		r := request(t, method, "/a?b=c", nil)
		r.Context().Value(caddy.ReplacerCtxKey).(*caddy.Replacer).Set(handler.assertion, "")
		if err := handler.ServeHTTP(httptest.NewRecorder(), r, nil); err != nil {
			t.Fatal(err)
		}
		if r.URL.String() != "/a?b=c" {
			t.Errorf("%s: the URL is now %s", method, r.URL)
		}
	}
}

func TestTheCollectorDescribesItsMetric(t *testing.T) {
	t.Parallel()

	descs := make(chan *prometheus.Desc, 2)
	addressCollector{}.Describe(descs)
	if len(descs) != 1 || <-descs != addressesDesc {
		t.Error("it is not described")
	}
}
