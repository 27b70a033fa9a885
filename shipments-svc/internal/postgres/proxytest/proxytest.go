// Package proxytest puts toxiproxy between a test and Postgres.
package proxytest

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
)

// Proxy forwards connections to one Postgres. Stop ends and refuses them, until Start.
type Proxy struct {
	*toxiproxy.Proxy
	tb testing.TB
}

// New returns a proxy before the server that dsn, a URL, names, and the DSN that leads
// through it.
func New(tb testing.TB, dsn string) (*Proxy, string) {
	tb.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Port() == "" {
		tb.Skip("TEST_DATABASE_URL is not a URL with a port, which the proxy needs")
	}
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()) // it never listens
	p := &Proxy{toxiproxy.NewProxy(server, "postgres", "127.0.0.1:0", u.Host), tb}
	if err := p.Start(); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(p.Stop)
	u.Host = p.Listen
	return p, u.String()
}

// Hang keeps connections open, of which nothing comes through any more.
func (p *Proxy) Hang() {
	p.tb.Helper()
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type": "timeout", "stream": %q, "attributes": {"timeout": 0}}`, stream)
		if _, err := p.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			p.tb.Fatal(err)
		}
	}
}

// Heal ends Hang, for connections that are open or new.
func (p *Proxy) Heal() { p.Toxics.ResetToxics(context.Background()) }

// CutIn ends the open connections after a time. done waits until it has.
func (p *Proxy) CutIn(after time.Duration) (done func()) {
	cut := make(chan error)
	time.AfterFunc(after, func() {
		p.Stop()
		cut <- p.Start()
	})
	return func() {
		p.tb.Helper()
		if err := <-cut; err != nil {
			p.tb.Error(err)
		}
	}
}
