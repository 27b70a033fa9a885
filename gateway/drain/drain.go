// Package drain lets clients move away from a server before a reload or the end of the program stops it. It is the
// Caddy app token_gate_drain with the listener wrapper caddy.listeners.token_gate_drain.
//
// Guarantee: before anything of a configuration with the wrapper stops, there is a lame duck period of [LameDuck] in
// which it accepts no new connections and every response carries Connection: close. A client that sends a request at
// least that often loses none. Without it, net/http's graceful shutdown closes connections that are idle at that moment
// and loses requests that are already on their way.
package drain

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/modules/caddyevents"
)

// LameDuck is the time between announcing the end and closing connections; the services use the same.
const LameDuck = 2 * time.Second

// appName is the name of the App.
const appName = "token_gate_drain"

func init() { caddy.RegisterModule(new(App)) }

// App reports whether its configuration is draining. A configuration has one if a module requests it by FromContext.
type App struct {
	draining atomic.Bool

	mu        sync.Mutex
	listeners []*listener
	delay     time.Duration // the longest Delay of the wrappers
	onStart   []func()
}

// FromContext returns the App of the configuration that ctx belongs to.
func FromContext(ctx caddy.Context) (*App, error) {
	app, err := ctx.App(appName)
	if err != nil {
		return nil, fmt.Errorf("drain: %w", err)
	}
	return app.(*App), nil
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: appName, New: func() caddy.Module { return new(App) }}
}

// Provision subscribes to the event that the configuration is about to stop.
func (a *App) Provision(ctx caddy.Context) error {
	events, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	return events.(*caddyevents.App).On("stopping", a)
}

// Draining reports whether the configuration is about to stop or has stopped. A nil App never is.
func (a *App) Draining() bool { return a != nil && a.draining.Load() }

// Handle implements caddyevents.Handler. It drains the configuration; nothing of it stops before Handle returns. The
// listeners close first: new connections go to the next configuration, or are refused when the program ends.
func (a *App) Handle(context.Context, caddy.Event) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if caddy.Exiting() {
		<-time.After(a.delay)
	}
	a.draining.Store(true)
	if len(a.listeners) == 0 {
		return nil // responses alone carry Connection: close
	}
	for _, l := range a.listeners {
		l.drain()
	}
	<-time.After(LameDuck)
	return nil
}

// OnStart makes Start call do, which must not block. Modules begin there what a configuration that is only validated
// must not do.
func (a *App) OnStart(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.onStart = append(a.onStart, do)
}

// Start implements caddy.App.
func (a *App) Start() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, do := range a.onStart {
		do()
	}
	return nil
}

// Stop implements caddy.App.
func (*App) Stop() error { return nil }

// Interface guards
var (
	_ caddy.App           = (*App)(nil)
	_ caddy.Provisioner   = (*App)(nil)
	_ caddyevents.Handler = (*App)(nil)
)
