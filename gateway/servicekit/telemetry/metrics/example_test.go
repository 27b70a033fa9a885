package metrics_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/metrics"
)

func ExampleMetrics_ObserveRequest() {
	m := metrics.New("things")
	m.ObserveRequest("/things/{id}", http.MethodGet, http.StatusOK, time.Millisecond)
	families, err := m.Gather()
	if err != nil {
		fmt.Println(err)
	}
	for _, family := range families {
		if family.GetName() == "quayside_things_request_seconds" {
			for _, label := range family.GetMetric()[0].GetLabel() {
				fmt.Println(label.GetName(), label.GetValue())
			}
		}
	}
	// Output:
	// code 200
	// method GET
	// route /things/{id}
}
