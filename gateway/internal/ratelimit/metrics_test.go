package ratelimit

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

// metrics returns the values of all metrics of the package.
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
			values[family.GetName()] = metric.GetGauge().GetValue()
		}
	}
	return values
}

// The metrics belong to the process, so this test does not run in parallel with others.

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
