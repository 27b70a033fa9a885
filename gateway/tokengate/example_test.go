package tokengate_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"

	"github.com/quayside/quayside/gateway/tokengate"
)

// A request without a token is refused, and not forwarded.
func ExampleGate_ServeHTTP() {
	gate := new(tokengate.Gate)
	err := gate.UnmarshalCaddyfile(caddyfile.NewTestDispenser(`token_gate {
		introspection https://id.example.com/oauth2/introspect
	}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, cancel := caddy.NewContext(caddy.Context{Context: context.Background()})
	defer cancel()
	if err := gate.Provision(ctx); err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = gate.Cleanup() }()

	w, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/api/v1/shipments", nil)
	r = caddyhttp.PrepareRequest(r, caddy.NewReplacer(), w, new(caddyhttp.Server))
	err = gate.ServeHTTP(w, r, caddyhttp.HandlerFunc(func(http.ResponseWriter, *http.Request) error {
		fmt.Println("forwarded")
		return nil
	}))
	fmt.Println(w.Code, w.Header().Get("Content-Type"), err)
	// Output: 401 application/problem+json <nil>
}
