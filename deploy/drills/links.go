package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// link is a proxy between two parts.
type link struct{ proxy *toxiproxy.Proxy }

// links is the server that toxiproxy requires; it never listens.
var links = toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())

// startLink forwards connections from an address to another.
func startLink(listen, to string) (*link, error) {
	l := &link{toxiproxy.NewProxy(links, listen, listen, to)}
	return l, l.proxy.Start()
}

// cutFor cuts the link for a time: what either side sends is lost without
// notice, over existing and new connections. Afterwards these are closed.
func (l *link) cutFor(ctx context.Context, d time.Duration) (restore func() error, err error) {
	streams := []string{"upstream", "downstream"}
	for _, stream := range streams {
		toxic := fmt.Sprintf(`{"name": %q, "type": "timeout", "stream": %[1]q, "attributes": {"timeout": 0}}`, stream)
		_, toxicErr := l.proxy.Toxics.AddToxicJson(strings.NewReader(toxic))
		err = errors.Join(err, toxicErr)
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
	for _, stream := range streams {
		err = errors.Join(err, l.proxy.Toxics.RemoveToxic(ctx, stream))
	}
	return func() error { return nil }, err
}

func (l *link) stop() {
	if l != nil {
		l.proxy.Stop()
	}
}

// linkRedis starts a Redis to which the gateways connect over a link.
func (i *infrastructure) linkRedis(ctx context.Context) error {
	single, addresses, err := startRedis(ctx, i.dir, 1)
	i.single = single
	if err != nil {
		return err
	}
	listen, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	i.redis[overLink] = "redis://" + listen[0]
	i.redisLink, err = startLink(listen[0], addresses[0])
	return err
}

// linkShipments starts the links to both shipments-svc. They have the addresses
// of the services and a port in common.
func (i *infrastructure) linkShipments(ctx context.Context) error {
	free, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return err
	}
	i.shipmentsPort = port(free[0])
	for _, name := range []string{"shipments-svc", "shipments-svc-2"} {
		to := i.stack.Program(name).Address
		host, _, err := net.SplitHostPort(to)
		if err != nil {
			return err
		}
		l, err := startLink(net.JoinHostPort(host, i.shipmentsPort), to)
		if err != nil {
			return err
		}
		i.shipmentsLinks = append(i.shipmentsLinks, l)
	}
	return nil
}
