package ratelimit

import (
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
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
	observeFlush([]*call{{requests: 3}, {requests: 4}, {}}, 250*time.Millisecond)
	after := metrics(t)
	for name, want := range map[string]float64{"seconds": .25, "requests": 7} {
		name = "quayside_gateway_window_flush_" + name
		if got := after[name] - before[name]; got != want {
			t.Errorf("%s grew by %v, want %v", name, got, want)
		}
	}
}

func TestMetricsFollowTheCircuitBreaker(t *testing.T) {
	const name = "quayside_gateway_redis_circuit_breaker_open"
	b := &circuitBreaker{onChange: func(error) {}}
	for range maxFailures {
		b.record(errTest)
	}
	if got := metrics(t)[name]; got != 1 {
		t.Errorf("while it is open: %v", got)
	}
	b.record(nil)
	if got := metrics(t)[name]; got != 0 {
		t.Errorf("while it is closed: %v", got)
	}
}
