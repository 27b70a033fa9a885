package metrics

import (
	"context"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// scrapeTimeout bounds the query behind a scrape.
const scrapeTimeout = 2 * time.Second

var liveTokens = prometheus.NewDesc("quayside_tokens_live_tokens",
	"Tokens that are neither revoked nor expired, by the pepper version that they need.", []string{"pepper_version"}, nil)

// pepperCounts collects the tokens by pepper version. While they cannot be
// counted there is no sample.
type pepperCounts func(context.Context) (map[int]int, error)

// CountPeppers adds the metric of live tokens by pepper version, as counts
// returns them.
func (m *Metrics) CountPeppers(counts func(context.Context) (map[int]int, error)) {
	m.MustRegister(pepperCounts(counts))
}

// Describe implements prometheus.Collector.
func (pepperCounts) Describe(descs chan<- *prometheus.Desc) { descs <- liveTokens }

// Collect implements prometheus.Collector.
func (c pepperCounts) Collect(samples chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	counts, err := c(ctx)
	if err != nil {
		return
	}
	for version, n := range counts {
		samples <- prometheus.MustNewConstMetric(liveTokens, prometheus.GaugeValue, float64(n), strconv.Itoa(version))
	}
}
