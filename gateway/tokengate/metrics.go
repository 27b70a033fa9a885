package tokengate

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// The collectors belong to the process: each configuration has a registry of its own, and counts must not
// start again with a reload. No label holds a token, an organization or an address.
var (
	requestsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "requests_total",
		Help: "Requests by outcome: forwarded, public, page, sign-in or the code of the gate's own answer.",
	}, []string{"outcome"})
	introspectionSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "introspection_seconds",
		Help:    "Time to learn whether a token is active, by source: cache, service or fault.",
		Buckets: []float64{.0001, .001, .005, .01, .025, .05, .1, .25, .5},
	}, []string{"source"})
	windowDecisionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_decisions_total",
		Help: "Requests counted against a window, by window (token, address, page, sign-in), decision (allowed, refused, unavailable) and source (redis, or the gateway's memory of an empty window).",
	}, []string{"window", "decision", "source"})
)

// registerMetrics makes the collectors known to the registry of a new configuration. Several gates may
// share one.
func registerMetrics(registry *prometheus.Registry) error {
	if registry == nil {
		return nil
	}
	for _, collector := range []prometheus.Collector{requestsTotal, introspectionSeconds, windowDecisionsTotal} {
		if err := registry.Register(collector); err != nil {
			if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
				return err
			}
		}
	}
	return nil
}
