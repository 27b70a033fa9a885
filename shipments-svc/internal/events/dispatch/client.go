package dispatch

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// Timeout is how long an attempt may take, from the name's look-up to the
	// end of the answer.
	Timeout = 15 * time.Second

	dialTimeout      = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	maxHeader        = 16 << 10 // of an answer
	maxAnswer        = 64 << 10 // bytes that are read of its body

	// Idle connections are kept for so long, and at most so many.
	idleTimeout  = 30 * time.Second
	maxIdle      = 512
	maxIdleAHost = maxEndpoint
)

// ClientConfig is what differs between the deployments of a client.
type ClientConfig struct {
	// Loopback admits addresses of this very machine, for laptops and tests.
	Loopback bool
	Resolver *net.Resolver // nil: the system's
	TLS      *tls.Config   // nil: the system's authorities
}

// NewClient returns an HTTP client for addresses that somebody else chose.
//
// It connects to public addresses only. That is decided by the address that is
// being connected to, after every look-up and however the host was spelt, so
// neither a name that leads elsewhere the second time nor an unusual spelling
// gets around it; a connection that is reused leads to an address that passed.
// It follows no redirect, knows no proxy, and speaks HTTP/1.1 only. A connection
// whose answer was not read to its end is not used again.
func NewClient(cfg ClientConfig) *http.Client {
	allowed := []ssrf.Option{ssrf.WithAnyPort()}
	if cfg.Loopback {
		allowed = append(allowed,
			ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")), ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: cfg.Resolver, Control: ssrf.New(allowed...).Safe}
	return &http.Client{
		Timeout:       Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSClientConfig:        cfg.TLS,
			TLSHandshakeTimeout:    handshakeTimeout,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdleAHost,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
	}
}
