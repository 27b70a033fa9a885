package upstream

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// The collectors belong to the process: each configuration has a registry of its own, and counts must not
// start again with a reload. The services are those of the configuration; no label holds an address.
var retriesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "upstream_retries_total",
	Help: "Requests that were tried at a second address because they could not be sent to the first, by service.",
}, []string{"service"})

var addressesDesc = prometheus.NewDesc("quayside_gateway_upstream_addresses",
	"Addresses by service and by what is known of them: good, recovering, unknown (not checked yet), doubtful (slow or about to end) or away.",
	[]string{"service", "state"}, nil)

// census counts addresses when it is asked to.
type census struct{}

// Describe implements prometheus.Collector.
func (census) Describe(descs chan<- *prometheus.Desc) { descs <- addressesDesc }

// Collect implements prometheus.Collector.
func (census) Collect(metrics chan<- prometheus.Metric) {
	services.Range(func(_, shared any) bool {
		s := shared.(*service)
		count := map[state]int{}
		for _, a := range *s.addresses.Load() {
			count[a.is()]++
		}
		for _, state := range []state{good, recovering, unknown, doubtful, away} {
			metrics <- prometheus.MustNewConstMetric(addressesDesc, prometheus.GaugeValue, float64(count[state]), s.name, state.String())
		}
		return true
	})
}

// registerMetrics makes the collectors known to the registry of a new configuration.
func registerMetrics(registry *prometheus.Registry) error {
	if registry == nil {
		return nil
	}
	for _, collector := range []prometheus.Collector{retriesTotal, census{}} {
		if err := registry.Register(collector); err != nil {
			if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
				return err
			}
		}
	}
	return nil
}
