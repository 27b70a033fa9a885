package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// network is all links between programs, by devstack's names.
type network struct {
	server *toxiproxy.ApiServer // never listens: it is used in process
	links  map[string]*link
	record func(request) // called with each request that passes a link
}

func newNetwork(record func(request)) *network {
	return &network{
		server: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		links:  map[string]*link{},
		record: record,
	}
}

// proxy is devstack's hook: it starts a proxy at the link's address.
func (n *network) proxy(l devstack.Link) error {
	proxy := toxiproxy.NewProxy(n.server, l.Name, l.Listen, l.Server)
	made, err := proxy.Toxics.AddToxicJson(strings.NewReader(`{"type": "recorder", "stream": "upstream"}`))
	if err != nil {
		return err
	}
	made.Toxic.(*recorder).record = n.record // before the proxy's first connection
	n.links[l.Name] = &link{name: l.Name, proxy: proxy}
	return proxy.Start()
}

func (n *network) close() {
	for _, l := range n.links {
		l.proxy.Stop()
	}
}

// link is a connection between two programs into which faults are injected.
type link struct {
	name   string
	proxy  *toxiproxy.Proxy
	active []string // names of its toxics
}

// unplug closes every connection and refuses new ones.
func (l *link) unplug() error {
	l.proxy.Stop()
	return nil
}

func (l *link) plug() error { return l.proxy.Start() }

// toxic is a transformation of a link's bytes.
type toxic struct {
	Type       string         `json:"type"`
	Name       string         `json:"name"`
	Stream     string         `json:"stream"` // "downstream" is towards the client
	Attributes map[string]any `json:"attributes"`
}

func (l *link) addToxic(t toxic) error {
	t.Name = t.Type + "-" + t.Stream
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(string(text))); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	l.active = append(l.active, t.Name)
	return nil
}

// removeToxics removes all toxics. Open connections stay open.
func (l *link) removeToxics(ctx context.Context) error {
	for _, name := range l.active {
		if err := l.proxy.Toxics.RemoveToxic(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	l.active = nil
	return nil
}

var _ toxics.Toxic = (*recorder)(nil)
