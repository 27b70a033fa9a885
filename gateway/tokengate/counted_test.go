package tokengate

import (
	"maps"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/prometheus/client_golang/prometheus"
)

// metricValues returns the values of all metrics, of a histogram the number of its samples, by name and labels.
func metricValues(t *testing.T) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			name := strings.TrimPrefix(family.GetName(), "quayside_gateway_")
			for _, label := range metric.GetLabel() {
				name += " " + label.GetValue()
			}
			values[name] = metric.GetCounter().GetValue() + metric.GetGauge().GetValue() +
				float64(metric.GetHistogram().GetSampleCount())
		}
	}
	return values
}

// counted returns by how much the counters of requests grow while do runs.
func counted(t *testing.T, do func()) map[string]float64 {
	t.Helper()
	before := metricValues(t)
	do()
	grown := map[string]float64{}
	for name, value := range metricValues(t) {
		for _, prefix := range []string{
			"requests_total ", "window_decisions_total ", "introspection_seconds ",
			"upstream_failures_total ", "usage_",
		} {
			if strings.HasPrefix(name, prefix) && value != before[name] {
				grown[name] = value - before[name]
			}
		}
	}
	return grown
}

// Metrics are those of the process, so this test does not run in parallel with others.
func TestRequestsAreCountedAndUsesOfTokensReported(t *testing.T) {
	g := newTestGate(t, new(Gate), strings.Replace(activeBody, "{", `{"rate_limit":{"limit":2,"window_seconds":86400},`,
		1))
	plain := func(method, path string) *http.Request {
		r := request(method, path)
		r.Header.Del("Authorization")
		return r
	}
	unknown := func(token string) *http.Request {
		r := request(http.MethodGet, "/")
		r.Header.Set("Authorization", "Bearer "+token)
		return r
	}
	preflight := plain(http.MethodOptions, "/api/v1/shipments")
	preflight.Header.Set("Origin", "https://app.example")
	preflight.Header.Set("Access-Control-Request-Method", "GET")
	forwarded := map[string]float64{
		"requests_total forwarded": 1, "window_decisions_total allowed local token": 1,
		"introspection_seconds cache": 1,
	}
	for _, tt := range []struct {
		r    *http.Request
		body string // of introspections
		next caddyhttp.HandlerFunc
		want map[string]float64
	}{
		{request(http.MethodGet, "/"), "", nil, forwarded},
		{request(http.MethodGet, "/"), "", nil, forwarded},
		{request(http.MethodGet, "/"), "", nil, map[string]float64{
			"requests_total rate_limited":                 1,
			"window_decisions_total refused memory token": 1, "introspection_seconds cache": 1,
		}},
		{plain(http.MethodGet, "/"), "", nil, map[string]float64{
			"requests_total missing_token":                  1,
			"window_decisions_total allowed local no-token": 1,
		}},
		{plain(http.MethodGet, "/docs/a"), "", nil, map[string]float64{
			"requests_total public":                       1,
			"window_decisions_total allowed local public": 1,
		}},
		{plain(http.MethodPost, "/docs/a"), "", nil, map[string]float64{
			"requests_total method_not_allowed":           1,
			"window_decisions_total allowed local public": 1,
		}},
		{plain(http.MethodGet, "/settings/a"), "", nil, map[string]float64{
			"requests_total page":                       1,
			"window_decisions_total allowed local page": 1,
		}},
		{plain(http.MethodPost, "/sign-in"), "", nil, map[string]float64{
			"requests_total sign-in":                       1,
			"window_decisions_total allowed local sign-in": 1,
		}},
		{preflight, "", nil, map[string]float64{
			"requests_total preflight":                    1,
			"window_decisions_total allowed local public": 1,
		}},
		{
			plain(http.MethodGet, "/docs/a"), "",
			func(http.ResponseWriter, *http.Request) error {
				return caddyhttp.Error(http.StatusBadGateway, http.ErrHandlerTimeout)
			},
			map[string]float64{
				"requests_total public": 1, "window_decisions_total allowed local public": 1,
				"upstream_failures_total upstream_unreachable ": 1,
			},
		},
		{
			unknown("shpt_live_000000000001_0000000000000000000000000000000027i4HK"), `{"active":false}`, nil,
			map[string]float64{
				"requests_total invalid_token": 1, "window_decisions_total allowed local address": 1,
				"introspection_seconds service": 1,
			},
		},
		{
			unknown("shpt_test_000000000000_000000000000000000000000000000004VaWUc"), "", nil,
			map[string]float64{"requests_total auth_unavailable": 1, "introspection_seconds fault": 1},
		},
	} {
		g.setBody(tt.body)
		if got := counted(t, func() { g.serve(t, tt.r, tt.next) }); !maps.Equal(got, tt.want) {
			t.Errorf("%s %s: %v, want %v", tt.r.Method, tt.r.URL, got, tt.want)
		}
	}
	if got := metricValues(t)["degraded"]; got != 1 {
		t.Errorf("degraded is %v while introspections fail", got)
	}
	if got := counted(t, g.usage.Close); !maps.Equal(got, map[string]float64{"usage_batches_total delivered": 1}) {
		t.Errorf("the report is counted as %v", got)
	}
	if !strings.Contains(g.reports(), `"token":"tok_4fZyo82mVyR1"`) ||
		!strings.Contains(g.reports(), `"count":2,"refused":1,"address":"192.0.2.1"`) {
		t.Errorf("reported %s", g.reports())
	}
}

func TestUsageCountsEveryRefusalOnce(t *testing.T) {
	t.Parallel()
	forbid := func(w http.ResponseWriter, _ *http.Request) error {
		w.WriteHeader(http.StatusForbidden)
		return nil
	}
	elsewhere := strings.Replace(activeBody, "{", `{"ip_allow":["203.0.113.7/32"],`, 1)
	for body, next := range map[string]caddyhttp.HandlerFunc{
		activeBody: forbid, elsewhere: nil,
		`{"active":false,"reason":"revoked"}`: nil, `{"active":false,"reason":"expired"}`: nil,
	} {
		g := newTestGate(t, new(Gate), body)
		g.serve(t, request(http.MethodGet, "/"), next)
		g.usage.Close()
		if !strings.Contains(g.reports(), `"token":"tok_4fZyo82mVyR1"`) ||
			!strings.Contains(g.reports(), `"count":0,"refused":1,"address":"192.0.2.1"`) {
			t.Errorf("%s: reported %s", body, g.reports())
		}
	}
}

// It has the gauges of the process, too.
func TestGaugesFollowTheChangeStream(t *testing.T) {
	if values := metricValues(t); values["degraded"] != 0 {
		t.Errorf("without a gate: %v", values)
	}
	newTestGate(t, new(Gate), activeBody)
	for deadline := time.Now().Add(20 * time.Second); ; {
		values := metricValues(t)
		if lag := values["revocation_lag_seconds"]; lag >= 0 && lag < 3 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("with heartbeats: %v", values)
		}
	}
	other := newTestGate(t, new(Gate), "") // has never had a heartbeat
	other.setBody(activeBody)
	if values := metricValues(t); values["revocation_lag_seconds"] < 1e9 || values["degraded"] != 0 {
		t.Errorf("beside a stream without heartbeats: %v", values)
	}
}
