package upstream_test

import (
	"fmt"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/upstream"
)

// A Caddyfile sends requests to a service with several addresses.
func ExampleHandler_UnmarshalCaddyfile() {
	handler := new(upstream.Handler)
	err := handler.UnmarshalCaddyfile(caddyfile.NewTestDispenser(`service shipments shipments.internal:8081 {
		answer_within 5s
		max_body      14MiB
	}`))
	fmt.Println(handler.Name, handler.Address, handler.MaxBody, err)
	// Output: shipments shipments.internal:8081 14680064 <nil>
}
