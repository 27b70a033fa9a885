package devstack

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"strings"
	"sync"
)

// ports are loopback addresses, "127.0.0.1:PORT". All but the gateway's are free
// ones.
type ports struct {
	gateway, gatewayInner     string
	shipments, shipmentsInner string
	tokens, tokensInner       string
	tokensGateways            string
	postgres, redis           string
}

// Free ports are below the ephemeral range, so that a restarted program finds
// its own port free.
const firstPort, lastPort = 20000, 32000

func choosePorts(ctx context.Context, gateway int) (p ports, err error) {
	if gateway != 0 {
		p.gateway = loopback(gateway)
		if err := tryListen(ctx, p.gateway); err != nil {
			return p, fmt.Errorf("port %d is in use (%w): stop what listens there, "+
				"or choose another with QUAYSIDE_PORT=8090 make run", gateway, err)
		}
		reserve(ctx, p.gateway)
	}
	free, err := FreeAddresses(ctx, 9)
	if err != nil {
		return p, err
	}
	return ports{
		gateway: cmp.Or(p.gateway, free[0]), gatewayInner: free[1],
		shipments: free[2], shipmentsInner: free[3], tokens: free[4], tokensInner: free[5],
		postgres: free[6], redis: free[7], tokensGateways: free[8],
	}, nil
}

// freeAddress returns an unused address and reserves it.
func freeAddress(ctx context.Context) (string, error) {
	for range 1000 {
		//nolint:gosec // G404: a port number is no secret
		candidate := loopback(firstPort + rand.IntN(lastPort-firstPort))
		if reserve(ctx, candidate) && tryListen(ctx, candidate) == nil {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("no free port between %d and %d", firstPort, lastPort)
}

// reserved are the UDP sockets of reserved addresses.
var reserved struct {
	sync.Mutex

	sockets []net.PacketConn
}

// reserve prevents that two stacks, even of different processes, choose the same
// address before a program listens there: it opens the UDP port of the same
// number until this process exits. It reports false if that is in use.
func reserve(ctx context.Context, address string) bool {
	socket, err := new(net.ListenConfig).ListenPacket(ctx, "udp", address)
	if err != nil {
		return false
	}
	reserved.Lock()
	defer reserved.Unlock()
	reserved.sockets = append(reserved.sockets, socket) // so that it is not collected and closed
	return true
}

// FreeAddresses returns n unused loopback addresses, host:port.
func FreeAddresses(ctx context.Context, n int) ([]string, error) {
	addresses := make([]string, n)
	for i := range addresses {
		var err error
		if addresses[i], err = freeAddress(ctx); err != nil {
			return nil, err
		}
	}
	return addresses, nil
}

func loopback(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// Port returns the ":PORT" of an address.
func Port(address string) string { return address[strings.LastIndexByte(address, ':'):] }

func tryListen(ctx context.Context, address string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	return l.Close()
}
