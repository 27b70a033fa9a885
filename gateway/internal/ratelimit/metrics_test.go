package ratelimit

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"
)

// metrics returns the values of all metrics of the package; of a histogram, the sum of what it observed.
func metrics(t *testing.T) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	registry.MustRegister(Collectors()...)
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			values[family.GetName()] = metric.GetGauge().GetValue() + metric.GetHistogram().GetSampleSum()
		}
	}
	return values
}

// The metrics belong to the process, so these tests do not run in parallel with others.

func TestMetricsSumTheRequestsOfAFlush(t *testing.T) {
	before := metrics(t)
	observeFlush([]*batchEntry{{requests: 3}, {requests: 4}, {}}, 250*time.Millisecond)
	after := metrics(t)
	for name, want := range map[string]float64{"seconds": .25, "calls": 3, "requests": 7} {
		name = "quayside_gateway_window_flush_" + name
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s grew by %v, want %v", name, got, want)
		}
	}
}

func TestMetricsFollowTheCircuitBreaker(t *testing.T) {
	const name = "quayside_gateway_redis_circuit_breaker_open"
	synctest.Test(t, func(t *testing.T) {
		b := newCircuitBreaker(func(context.Context) error { return nil }, func(error) {})
		for range maxFailures {
			b.record(errTest)
		}
		if synctest.Wait(); metrics(t)[name] != 1 {
			t.Errorf("while it is open: %v", metrics(t)[name])
		}
		time.Sleep(2 * probeInterval)
		if synctest.Wait(); metrics(t)[name] != 0 {
			t.Errorf("while it is closed: %v", metrics(t)[name])
		}
	})
}

func TestMetricsFollowRedisClockAndGateways(t *testing.T) {
	newStateLog(zap.NewNop).clockSkewed(-1500 * time.Millisecond)
	newReplicas(nil, nil).record(3, time.Now())
	got := metrics(t)
	for name, want := range map[string]float64{"redis_clock_skew_seconds": -1.5, "replicas": 3} {
		if got := got["quayside_gateway_"+name]; got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
}
