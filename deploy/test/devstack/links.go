package devstack

import (
	"context"
	"net/url"
)

// Link is a connection between two parts of a stack: the client is configured
// with Listen instead of Server.
type Link struct {
	Name   string // client and server, such as "gateway-redis"
	Listen string // loopback address of the proxy
	Server string // loopback address of the server
}

// link returns the URL with which a client is configured: the server's own, or
// that of a proxy with Options.Proxy.
func (s *Stack) link(ctx context.Context, name, server string) (string, error) {
	u, err := url.Parse(server)
	if err != nil || s.opts.Proxy == nil {
		return server, err
	}
	free, err := freeAddress(ctx)
	if err != nil {
		return "", err
	}
	behind := Link{Name: name, Listen: free, Server: u.Host}
	u.Host = free
	return u.String(), s.opts.Proxy(behind)
}
