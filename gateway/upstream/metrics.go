package upstream

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// The label service is the configured host:port; no label holds an IP address.
var retriesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "upstream_retries_total",
	Help: "Requests retried after a connection failed before the response, by service.",
}, []string{"service"})

var ejectionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "upstream_ejections_total",
	Help: "Ejections by outlier detection, by service.",
}, []string{"service"})

var addressesDesc = prometheus.NewDesc("quayside_gateway_upstream_addresses",
	"Addresses by service and state: healthy, recovering, unknown (not checked yet), suspect (not ready or slow), ejected (outlier detection) or unhealthy.",
	[]string{"service", "state"}, nil)

// addressCollector counts addresses by state when metrics are read.
type addressCollector struct{}

// Describe implements prometheus.Collector.
func (addressCollector) Describe(descs chan<- *prometheus.Desc) { descs <- addressesDesc }

// Collect implements prometheus.Collector.
func (addressCollector) Collect(metrics chan<- prometheus.Metric) {
	for s := range services.All() {
		count := map[state]int{}
		now := time.Now()
		for _, a := range *s.addresses.Load() {
			is := a.currentState()
			if a.outlier.isEjected(now) {
				is = max(is, ejected)
			}
			count[is]++
		}
		for state := healthy; state <= unhealthy; state++ {
			metrics <- prometheus.MustNewConstMetric(addressesDesc, prometheus.GaugeValue, float64(count[state]), s.name, state.String())
		}
	}
}
