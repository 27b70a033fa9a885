package tracing_test

import (
	"context"
	"fmt"

	"github.com/quayside/quayside/gateway/servicekit/telemetry/tracing"
)

// Without an endpoint in the environment, such as OTEL_EXPORTER_OTLP_ENDPOINT, there is no tracer.
func ExampleStart() {
	ctx := context.Background()
	traces, err := tracing.Start(ctx, "things-svc", func(error) {})
	if err != nil {
		fmt.Println(err)
	}
	defer traces.Close(ctx)
	fmt.Println(traces.Tracer() == nil)
	// Output: true
}
