package main

import (
	"context"
	"errors"
	"os"
	"sync/atomic"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// link is a proxy between two programs.
type link = toxiproxy.Proxy

// testbed is the running product with its load's client and tokens.
type testbed struct {
	stack   *devstack.Stack
	links   map[string]*link // by devstack's names
	client  *client          // of the gateway
	tokens  *tokens
	created atomic.Int64 // references used
}

// startTestbed starts the product in a directory, with a proxy of toxiproxy in every link between its parts.
func startTestbed(ctx context.Context, dir string) (b *testbed, err error) {
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()) // it never listens
	b = &testbed{links: map[string]*link{}}
	b.stack, err = devstack.Start(ctx, devstack.Options{
		Dir: dir, Log: os.Stderr,
		Proxy: func(l devstack.Link) error {
			b.links[l.Name] = toxiproxy.NewProxy(server, l.Name, l.Listen, l.Server)
			return b.links[l.Name].Start()
		},
	})
	if err != nil {
		return nil, err
	}
	b.client = newClient(b.stack.URL)
	if b.tokens, err = createTokens(ctx, b); err != nil {
		return nil, errors.Join(err, b.close())
	}
	return b, nil
}

// close stops everything.
func (b *testbed) close() error {
	err := b.stack.Close()
	for _, l := range b.links {
		l.Stop()
	}
	return err
}
