package tokengate

import (
	"math"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

// No label holds a token, an organization or an address.
var (
	requestsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "requests_total",
		Help: "Requests by outcome: forwarded, person, public, preflight, page, sign-in or the code of the gate's answer.",
	}, []string{"outcome"})
	introspectionSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "introspection_seconds",
		Help: "Time to learn whether a token is active, by source: cache, service, unconfirmed (a stale " +
			"result while the service is not available) or fault.",
		Buckets: []float64{.0001, .001, .005, .01, .025, .05, .1, .25, .5},
	}, []string{"source"})
	windowDecisionsTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "window_decisions_total",
		Help: "Requests counted against a window, by window (token, person, address, session, no-token, page, " +
			"sign-in, public), decision (allowed, refused, unavailable, abandoned by the caller) and source: redis; " +
			"memory, the gateway's, of an empty window; local, its own window while Redis is away, for public paths, " +
			"pages, signing in and without a readable token; or none.",
	}, []string{"window", "decision", "source"})
	serviceFailuresTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "upstream_failures_total",
		Help: "Forwarded requests that got no answer of their service, by service (as the configuration names " +
			"it) and the code of the gate's answer.",
	}, []string{"service", "code"})
	responseSeconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "request_seconds",
		Help: "Time from a request's head to the end of its answer, by class of status (2xx to 5xx, or none if it " +
			"broke off before) and kind: request, or the value that the route sets in the variable token_gate.kind.",
		// .3: the latency objective
		Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .3, .5, 1, 2.5, 5, 10, 30},
	}, []string{"status", "kind"})
	usageBatchesTotal = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "quayside", Subsystem: "gateway", Name: "usage_batches_total",
		Help: "Reports of token usage to the tokens service by outcome: delivered, kept (to be sent again) or dropped.",
	}, []string{"outcome"})
)

// kindVar is the variable with which a route sets the kind of its requests, whose default is defaultKind. Requests
// whose duration the client chooses have another one, because the latency objective does not apply to them.
const (
	kindVar     = "token_gate.kind"
	defaultKind = "request"
)

func init() {
	for _, class := range statusClasses[2:6] { // so that the first failure of a process is an increase
		responseSeconds.WithLabelValues(class, defaultKind)
	}
}

// statusClasses are the values of the label status by the first digit of the status.
var statusClasses = [...]string{"none", "1xx", "2xx", "3xx", "4xx", "5xx", "other"}

// revocationLag is read at each scrape.
var revocationLag = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "revocation_lag_seconds",
	Help: "Time since the last heartbeat of the change stream: the age that an unseen revocation can have. " +
		"+Inf before the first. Above 3, cached results are used for 10 s only.",
}, func() (lag float64) {
	for service := range tokensServices.All() {
		if !service.introspector.Follows() {
			continue
		}
		last := service.introspector.LastHeartbeat()
		if last.IsZero() {
			return math.Inf(1)
		}
		lag = max(lag, time.Since(last).Seconds())
	}
	return lag
})

// degraded is read at each scrape, too.
var degraded = prometheus.NewGaugeFunc(prometheus.GaugeOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "degraded",
	Help: "1 while the gateway is in service although introspections fail: only cached tokens are served. It " +
		"is 0 again when none has failed for 3 s.",
}, func() float64 {
	for service := range tokensServices.All() {
		if service.outage.Down() {
			return 1
		}
	}
	return 0
})

// collectors are all of them.
var collectors = append([]prometheus.Collector{
	requestsTotal, responseSeconds, introspectionSeconds, windowDecisionsTotal, serviceFailuresTotal,
	usageBatchesTotal, revocationLag, degraded, metrics.BuildInfo(),
}, ratelimit.Collectors()...)
