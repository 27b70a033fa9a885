// Package drain lets clients leave a server before it is taken away, by a reload or by the end of the program.
//
// Guarantee: from the moment that a configuration is to stop, and before anything of it stops, every answer asks to
// close its connection, for Time. A client that sends a request at least that often loses none. Without this some
// are lost: net/http, told to shut down, closes the connections that have no request at that moment, and drops the
// requests that come on them or on new ones all the same.
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

// Time is how long clients have; the services give the same.
const LameDuck = 2 * time.Second

func init() { caddy.RegisterModule(new(App)) }

// App knows whether the configuration that it belongs to is about to stop. There is one in each configuration that
// asks for it, by Of.
type App struct {
	draining atomic.Bool

	mu        sync.Mutex
	listeners []*listener
	delay     time.Duration // the longest that a Wrapper asks for
}

// Of returns the App of the configuration that a module is provisioned for.
func FromContext(ctx caddy.Context) (*App, error) {
	app, err := ctx.App("drain")
	if err != nil {
		return nil, fmt.Errorf("drain: %w", err)
	}
	return app.(*App), nil
}

// CaddyModule returns the Caddy module information.
func (*App) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "drain", New: func() caddy.Module { return new(App) }}
}

// Provision asks to be told when the configuration is to stop.
func (a *App) Provision(ctx caddy.Context) error {
	events, err := ctx.App("events")
	if err != nil {
		return fmt.Errorf("drain: %w", err)
	}
	return events.(*caddyevents.App).On("stopping", a)
}

// Near reports whether the configuration is about to stop, or has stopped.
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
	for _, l := range a.listeners {
		l.drain()
	}
	<-time.After(LameDuck)
	return nil
}

// Start implements caddy.App.
func (*App) Start() error { return nil }

// Stop implements caddy.App.
func (*App) Stop() error { return nil }

// Interface guards
var (
	_ caddy.App           = (*App)(nil)
	_ caddy.Provisioner   = (*App)(nil)
	_ caddyevents.Handler = (*App)(nil)
)
