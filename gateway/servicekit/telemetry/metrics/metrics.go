// Package metrics holds the Prometheus metrics that every program has.
package metrics

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/quayside/quayside/gateway/servicekit/process/buildinfo"
	"github.com/quayside/quayside/gateway/servicekit/telemetry/outage"
)

// Metrics are the metrics that every program has, in a registry of their own:
//
//	quayside_<program>_request_seconds{route,method,code}
//	quayside_<program>_outage{name}, for each journal given to Watch
//	quayside_build_info{version,revision}
//
// and those of the Go runtime and the process. A program registers its own with
// them. No label holds text of a client, so the number of series is bounded.
type Metrics struct {
	*prometheus.Registry

	program  string
	requests *prometheus.HistogramVec
}

// New returns the metrics of a program, such as "shipments".
func New(program string) *Metrics {
	m := &Metrics{
		Registry: prometheus.NewRegistry(),
		program:  program,
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Namespace: "quayside", Subsystem: program, Name: "request_seconds",
			Help:    "Duration of requests, by route, method and status.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10},
		}, []string{"route", "method", "code"}),
	}
	m.MustRegister(m.requests, BuildInfo(),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// BuildInfo is the metric of the program's version.
func BuildInfo() prometheus.Collector {
	build := buildinfo.Read()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "quayside", Name: "build_info", Help: "1, with the version and the revision of the program.",
		ConstLabels: prometheus.Labels{"version": build.Version, "revision": build.Revision},
	}, func() float64 { return 1 })
}

// Watch adds the state of a journal, and returns the journal.
func (m *Metrics) Watch(j *outage.Journal) *outage.Journal {
	m.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "quayside", Subsystem: m.program, Name: "outage",
		Help:        "1 during an outage of a dependency, by the name with which the log reports it.",
		ConstLabels: prometheus.Labels{"name": j.Name()},
	}, func() float64 {
		if j.Down() {
			return 1
		}
		return 0
	}))
	return j
}

// ObserveRequest adds a request that was answered. Requests without a route, whose
// paths are any, share the route "none".
func (m *Metrics) ObserveRequest(route, verb string, status int, took time.Duration) {
	if route == "" {
		route = "none"
	}
	m.requests.WithLabelValues(route, Method(verb), strconv.Itoa(status)).Observe(took.Seconds())
}

// Method returns a known method as it is, and "other" for what else a client may put in its place.
func Method(name string) string {
	switch name {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return name
	default:
		return "other"
	}
}
