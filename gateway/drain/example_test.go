package drain_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"

	"github.com/quayside/quayside/gateway/drain"
)

// A handler asks clients to leave while its configuration drains. In Caddy, app comes from FromContext.
func ExampleApp_Draining() {
	app := new(drain.App)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if app.Draining() {
			w.Header().Set("Connection", "close")
		}
	})
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Printf("%q\n", response.Header().Get("Connection"))
	// Output: ""
}

// A Caddyfile gives load balancers 10 s to notice the end.
func ExampleWrapper_UnmarshalCaddyfile() {
	wrapper := new(drain.Wrapper)
	err := wrapper.UnmarshalCaddyfile(caddyfile.NewTestDispenser("drain 10s"))
	fmt.Println(time.Duration(wrapper.Delay), err)
	// Output: 10s <nil>
}
