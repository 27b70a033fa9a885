package metrics

import (
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func TestACollectorIsRegisteredOnce(t *testing.T) {
	t.Parallel()

	registry := prometheus.NewRegistry()
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "requests_total"})
	other := prometheus.NewGauge(prometheus.GaugeOpts{Name: "requests"})
	for range 2 { // by two handlers
		if err := Register(registry, counter, other); err != nil {
			t.Fatal(err)
		}
	}
	if families, err := registry.Gather(); err != nil || len(families) != 2 {
		t.Errorf("%d metrics, %v", len(families), err)
	}
	same := prometheus.NewCounter(prometheus.CounterOpts{Name: "requests_total", Help: "Another text."})
	if err := Register(registry, same); err == nil {
		t.Error("two collectors have one name")
	}
	if err := Register(nil, counter); err != nil {
		t.Errorf("without a registry: %v", err)
	}
}
