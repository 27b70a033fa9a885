package main

import (
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
)

// counters are the program's own metrics. No label carries a token, an organization or an address,
// so the number of series does not grow with the number of customers.
type counters struct {
	introspections *prometheus.CounterVec
	streams        prometheus.Gauge
	live           *prometheus.GaugeVec
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
		live: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_tokens_live_tokens",
			Help: "Tokens that are neither revoked nor expired, by the pepper version that they need.",
		}, []string{"pepper_version"}),
	}
	registry.MustRegister(c.introspections, c.streams, c.live)
	return c
}

func (c counters) introspected(result string) { c.introspections.WithLabelValues(result).Inc() }

// streamOpened counts a follower of the changes until closed is called.
func (c counters) streamOpened() (closed func()) {
	c.streams.Inc()
	return c.streams.Dec
}

// liveTokens sets how many tokens need each version of the pepper.
func (c counters) liveTokens(counts map[int]int) {
	for version, n := range counts {
		c.live.WithLabelValues(strconv.Itoa(version)).Set(float64(n))
	}
}
