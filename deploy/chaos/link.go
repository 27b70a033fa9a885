package chaos

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"

	"github.com/quayside/quayside/deploy/devstack"
)

// network is all that lies between the programs, by the names that devstack
// gives to its links.
type network struct {
	server *toxiproxy.ApiServer // never listens: it is driven from here
	links  map[string]*link
	saw    func(request) // is told of each request that passes, with its head whole
}

func newNetwork(saw func(request)) *network {
	return &network{
		server: toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()),
		links:  map[string]*link{},
		saw:    saw,
	}
}

// between is devstack's hook: it puts a proxy where the link is to listen.
func (n *network) between(l devstack.Link) error {
	proxy := toxiproxy.NewProxy(n.server, l.Name, l.Listen, l.Server)
	made, err := proxy.Toxics.AddToxicJson(strings.NewReader(`{"type": "witness", "stream": "upstream"}`))
	if err != nil {
		return err
	}
	made.Toxic.(*witness).saw = n.saw // before the proxy's first connection
	n.links[l.Name] = &link{name: l.Name, proxy: proxy}
	return proxy.Start()
}

func (n *network) close() {
	for _, l := range n.links {
		l.proxy.Stop()
	}
}

// link is one way between two programs, which can be made bad.
type link struct {
	name  string
	proxy *toxiproxy.Proxy
	bad   []string // names of the toxics
}

// unplug cuts every connection and refuses new ones.
func (l *link) unplug() error {
	l.proxy.Stop()
	return nil
}

func (l *link) plug() error { return l.proxy.Start() }

// toxic is what is done to the bytes of a link.
type toxic struct {
	Type       string         `json:"type"`
	Name       string         `json:"name"`
	Stream     string         `json:"stream"` // "downstream" is towards who dialled
	Attributes map[string]any `json:"attributes"`
}

func (l *link) poison(t toxic) error {
	t.Name = t.Type + "-" + t.Stream
	text, err := json.Marshal(t)
	if err != nil {
		return err
	}
	if _, err := l.proxy.Toxics.AddToxicJson(strings.NewReader(string(text))); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	l.bad = append(l.bad, t.Name)
	return nil
}

// cure takes all toxics away. Connections that are open stay so, as they
// would when a network's trouble ends.
func (l *link) cure(ctx context.Context) error {
	for _, name := range l.bad {
		if err := l.proxy.Toxics.RemoveToxic(ctx, name); err != nil {
			return fmt.Errorf("%s: %w", l.name, err)
		}
	}
	l.bad = nil
	return nil
}

var _ toxics.Toxic = (*witness)(nil)
