package main

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// counters are the program's own metrics. No label carries a token, an organization or an address,
// so the number of series does not grow with the number of customers.
type counters struct {
	introspections *prometheus.CounterVec
	streams        prometheus.Gauge
	peppers        *prometheus.GaugeVec
}

func newCounters(registry prometheus.Registerer) counters {
	c := counters{
		introspections: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_tokens_introspections_total",
			Help: "Introspections, by result: active, expired, revoked, mismatch, unknown, malformed, no_pepper, " +
				"unavailable, canceled, error.",
		}, []string{"result"}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "quayside_tokens_change_streams",
			Help: "How many followers of the changes of tokens are connected.",
		}),
		peppers: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_tokens_pepper_needed",
			Help: "1 if tokens that are neither revoked nor expired need the pepper version, otherwise 0.",
		}, []string{"pepper_version"}),
	}
	registry.MustRegister(c.introspections, c.streams, c.peppers)
	return c
}

func (c counters) introspected(result string) { c.introspections.WithLabelValues(result).Inc() }

// streamOpened counts a follower of the changes until closed is called.
func (c counters) streamOpened() (closed func()) {
	c.streams.Inc()
	return c.streams.Dec
}

// peppersNeeded sets which versions of the pepper are needed, of those that are loaded and others.
func (c counters) peppersNeeded(loaded tokens.Peppers, needed []int) {
	c.peppers.Reset()
	for _, k := range loaded.Ring {
		c.peppers.WithLabelValues(strconv.Itoa(k.Version)).Set(0)
	}
	for _, version := range needed {
		c.peppers.WithLabelValues(strconv.Itoa(version)).Set(1)
	}
}
