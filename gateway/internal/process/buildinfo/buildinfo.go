// Package buildinfo returns the version of the running gateway.
//
// A release sets version and revision when it links the program, by
// -ldflags "-X github.com/quayside/quayside/gateway/internal/process/buildinfo.version=v1.2.3". Otherwise both come from
// runtime/debug.ReadBuildInfo, as far as the go command recorded them.
package buildinfo

import (
	"cmp"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
)

var version, revision string // set by the linker

// Version returns the version, such as v1.2.3 or devel, and the revision of the source, or unknown.
func Version() (string, string) {
	v, r := version, revision
	if build, ok := debug.ReadBuildInfo(); ok {
		if build.Main.Version != "(devel)" {
			v = cmp.Or(v, build.Main.Version)
		}
		for _, setting := range build.Settings {
			if setting.Key == "vcs.revision" {
				r = cmp.Or(r, setting.Value)
			}
		}
	}
	return cmp.Or(v, "devel"), cmp.Or(r, "unknown")
}

// NewCollector returns the metric quayside_build_info, which is 1 and has the version and the revision as labels.
func NewCollector() prometheus.Collector {
	v, r := Version()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Namespace: "quayside", Name: "build_info", Help: "1, with the version and the revision of the program.",
		ConstLabels: prometheus.Labels{"version": v, "revision": r},
	}, func() float64 { return 1 })
}
