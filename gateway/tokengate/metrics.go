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
	usageBatchesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "usage_batches_total",
		Help: "Reports of token usage to the tokens service by outcome: delivered, kept (to be sent again) or dropped.",
	}, []string{"outcome"})
	usageLostRequestsTotal = prometheus.NewCounter(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "usage_lost_requests_total",
		Help: "Requests that are missing in the usage of their tokens: dropped with a batch or beyond the bound of memory.",
	})
)

// collectors are all of them.
var collectors = []prometheus.Collector{
	requestsTotal, introspectionSeconds, windowDecisionsTotal, usageBatchesTotal, usageLostRequestsTotal,
}

// registerMetrics makes the collectors known to the registry of a new configuration. Several gates may
// share one.
func registerMetrics(registry *prometheus.Registry) error {
	if registry == nil {
		return nil
	}
	for _, collector := range collectors {
		if err := registry.Register(collector); err != nil {
			if _, ok := errors.AsType[prometheus.AlreadyRegisteredError](err); !ok {
				return err
			}
		}
	}
	return nil
}
