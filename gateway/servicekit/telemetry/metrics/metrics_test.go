package metrics_test

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/quayside/quayside/gateway/servicekit/httpserver"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

func TestRequestsAreCountedByRouteMethodAndStatus(t *testing.T) {
	t.Parallel()
	m := metrics.New("things")
	mux := http.NewServeMux()
	mux.HandleFunc("GET /things/{id}", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusConflict) })
	h := httpserver.Instrument(m.ObserveRequest, nil, httpserver.AccessLog(slog.New(slog.DiscardHandler),
		func(*http.Request) []slog.Attr { return nil }, nil, mux))
	for method, paths := range map[string][]string{
		http.MethodGet: {"/things/1", "/things/2", "/secret"},
		"SECRET":       {"/things/1"},
	} {
		for _, path := range paths {
			h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(method, path, nil))
		}
	}
	w := httptest.NewRecorder()
	httpserver.NewInner(m, nil).ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, want := range []string{
		`quayside_things_request_seconds_count{code="409",method="GET",route="/things/{id}"} 2`,
		`quayside_things_request_seconds_count{code="404",method="GET",route="none"} 1`,
		`quayside_things_request_seconds_count{code="405",method="other",route="none"} 1`,
		`quayside_build_info{revision="`, "go_goroutines",
	} {
		if !strings.Contains(w.Body.String(), want) {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(strings.ToLower(w.Body.String()), "secret") {
		t.Error("a label holds text of a client")
	}
	if problems, err := testutil.GatherAndLint(m); err != nil || len(problems) > 0 {
		t.Errorf("%v, %v", problems, err)
	}
}

func TestAnOutageIsAGaugeOf1(t *testing.T) {
	t.Parallel()
	m := metrics.New("things")
	log := slog.New(slog.DiscardHandler)
	postgres := m.Watch(outage.New(log, "Postgres"))
	m.Watch(outage.New(log, "storage"))
	postgres.Note(errors.New("connection refused"))
	want := `
		# HELP quayside_things_outage 1 during an outage of a dependency, by the name with which the log reports it.
		# TYPE quayside_things_outage gauge
		quayside_things_outage{name="Postgres"} 1
		quayside_things_outage{name="storage"} 0
	`
	if err := testutil.GatherAndCompare(m, strings.NewReader(want), "quayside_things_outage"); err != nil {
		t.Error(err)
	}
}
