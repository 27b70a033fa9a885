// Package metrics registers metrics that outlive a configuration.
package metrics

import (
	"errors"

	"github.com/prometheus/client_golang/prometheus"
)

// Register registers collectors of the process in the registry of a new configuration, unless they are registered
// already by another module. Each configuration has its own registry; counts continue after a reload.
func Register(registry *prometheus.Registry, collectors ...prometheus.Collector) error {
	if registry == nil {
		return nil
	}
	for _, collector := range collectors {
		err := registry.Register(collector)
		if _, registered := errors.AsType[prometheus.AlreadyRegisteredError](err); err != nil && !registered {
			return err
		}
	}
	return nil
}
