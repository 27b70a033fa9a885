package integration

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp"
	"github.com/caddyserver/caddy/v2/modules/caddyhttp/reverseproxy"

	"github.com/quayside/quayside/gateway/drain"
	"github.com/quayside/quayside/gateway/tokengate"
	"github.com/quayside/quayside/gateway/upstream"
)

// remains are functions that report whether a part of a configuration is still in memory, by its type.
type remains map[string][]func() bool

func watch[T any](r remains, part *T) {
	weakly := weak.Make(part)
	name := fmt.Sprintf("%T", part)
	r[name] = append(r[name], func() bool { return weakly.Value() != nil })
}

// watchCurrent adds the parts of the configuration that Caddy runs now.
func (r remains) watchCurrent(t *testing.T) {
	t.Helper()
	ctx := caddy.ActiveContext()
	watch(r, ctx.GetMetricsRegistry())
	for _, name := range []string{"http", "drain"} {
		app, err := ctx.AppIfConfigured(name)
		if err != nil {
			t.Fatal(err)
		}
		switch app := app.(type) {
		case *drain.App:
			watch(r, app)
		case *caddyhttp.App:
			watch(r, app)
			for _, server := range app.Servers {
				watch(r, server)
				r.watchHandlers(server.Routes)
				if server.Errors != nil {
					r.watchHandlers(server.Errors.Routes)
				}
			}
		}
	}
}

func (r remains) watchHandlers(routes caddyhttp.RouteList) {
	for _, route := range routes {
		for _, handler := range route.Handlers {
			switch handler := handler.(type) {
			case *caddyhttp.Subroute:
				r.watchHandlers(handler.Routes)
			case *tokengate.Gate:
				watch(r, handler)
			case *reverseproxy.Handler:
				watch(r, handler.Transport.(*upstream.Transport))
			}
		}
	}
}

// inMemory counts the parts of each type that are reachable after a garbage collection.
func (r remains) inMemory() map[string]int {
	runtime.GC()
	count := map[string]int{}
	for name, parts := range r {
		for _, there := range parts {
			if there() {
				count[name]++
			}
		}
	}
	return count
}

// Caddy runs within this process, so that the test can observe which parts of old configurations are in memory.
func TestOldConfigurationsAreFreed(t *testing.T) {
	t.Parallel()

	const reloads = 20
	credential := filepath.Join(t.TempDir(), "credential")
	if err := os.WriteFile(credential, []byte("demo-"+testCredential), 0o600); err != nil {
		t.Fatal(err)
	}
	shipped, err := os.ReadFile("../Caddyfile")
	if err != nil {
		t.Fatal(err)
	}
	public, inner := "127.0.0.1:"+freePort(t), "127.0.0.1:"+freePort(t)
	config := adaptFile(t, "../Caddyfile", []byte(strings.NewReplacer(
		"{$GATEWAY_ADDRESS::8080}", "http://"+public, "{$GATEWAY_INNER_ADDRESS::9080}", "http://"+inner, "{$GATEWAY_BIND}", "127.0.0.1",
		"{env.GATEWAY_CREDENTIAL}", "{file."+credential+"}", "{env.QUAYSIDE_DEMO}", "true", "{$LOG_LEVEL:info}", "error",
	).Replace(string(shipped))))
	t.Cleanup(func() {
		if err := caddy.Stop(); err != nil {
			t.Error(err)
		}
	})

	r, each := remains{}, map[string]int{}
	for n := range 1 + reloads {
		if err := caddy.Load([]byte(config), true); err != nil {
			t.Fatal(err)
		}
		for url, want := range map[string]int{public + "/api/v1/shipments": http.StatusUnauthorized, inner + "/metrics": http.StatusOK} {
			response, err := http.Get("http://" + url)
			if err != nil {
				t.Fatal(err)
			}
			_ = response.Body.Close()
			if response.StatusCode != want {
				t.Fatalf("%s: %s", url, response.Status)
			}
		}
		r.watchCurrent(t)
		if n == 0 {
			each = r.inMemory()
		}
	}
	t.Logf("each configuration has %v", each)
	eventually(t, func() bool {
		for name, count := range r.inMemory() {
			if count > 2*each[name] {
				return false
			}
		}
		return true
	}, "the parts of at most two configurations are in memory", new(lockedBuffer))
	t.Logf("after %d reloads there are %v", reloads, r.inMemory())
}
