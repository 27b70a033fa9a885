package upstream

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/internal/discovery"
)

// The label service is the configured host:port; no label holds an IP address.
var (
	retriesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "upstream_retries_total",
		Help: "Requests tried at another address because connecting failed, by service.",
	}, []string{"service"})
	ejectionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "upstream_ejections_total",
		Help: "Ejections by outlier detection, by service.",
	}, []string{"service"})
	addressesDesc = prometheus.NewDesc("quayside_gateway_upstream_addresses",
		"Addresses by service and state: healthy, unknown (not checked yet), suspect (not ready or slow), "+
			"ejected (outlier detection) or unhealthy.",
		[]string{"service", "state"}, nil)
	collectors = []prometheus.Collector{retriesTotal, ejectionsTotal, addressCollector{}}
)

// addressCollector counts addresses by state when metrics are read.
type addressCollector struct{}

// Describe implements prometheus.Collector.
func (addressCollector) Describe(descs chan<- *prometheus.Desc) { descs <- addressesDesc }

// Collect implements prometheus.Collector.
func (addressCollector) Collect(metrics chan<- prometheus.Metric) {
	for s := range shared.All() {
		count := s.Count()
		for state := discovery.Healthy; state <= discovery.Unhealthy; state++ {
			metrics <- prometheus.MustNewConstMetric(addressesDesc, prometheus.GaugeValue,
				float64(count[state]), s.Name(), state.String())
		}
	}
}
