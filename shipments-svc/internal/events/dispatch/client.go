package dispatch

import (
	"net"
	"net/http"
	"net/netip"
	"time"

	"code.dny.dev/ssrf"
)

const (
	// Timeout limits an attempt, from the DNS lookup to the end of the response.
	Timeout = 15 * time.Second

	dialTimeout      = 5 * time.Second
	handshakeTimeout = 5 * time.Second
	maxHeader        = 16 << 10 // bytes of a response header
	maxAnswer        = 64 << 10 // bytes of a response body that are read

	// Limits of idle connections.
	idleTimeout  = 30 * time.Second
	maxIdle      = 512
	maxIdleAHost = maxEndpoint
)

// ClientConfig configures a client.
type ClientConfig struct {
	// Loopback allows loopback addresses, for development and tests.
	Loopback bool
	Resolver *net.Resolver // nil: the system's
}

// NewClient returns an HTTP client for untrusted URLs.
//
// It connects to public addresses only. The address is checked when the connection is
// made, after each lookup, which prevents DNS rebinding and unusual spellings of
// addresses. It follows no redirects, uses no proxy, and sends HTTP/1.1 only. A
// connection is reused only after its response was read to the end.
func NewClient(cfg ClientConfig) *http.Client {
	allowed := []ssrf.Option{ssrf.WithAnyPort()}
	if cfg.Loopback {
		allowed = append(allowed, ssrf.WithAllowedV4Prefixes(netip.MustParsePrefix("127.0.0.0/8")),
			ssrf.WithAllowedV6Prefixes(netip.MustParsePrefix("::1/128")))
	}
	dialer := &net.Dialer{Timeout: dialTimeout, Resolver: cfg.Resolver, Control: ssrf.New(allowed...).Safe}
	return &http.Client{
		Timeout:       Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{
			DialContext:            dialer.DialContext,
			TLSHandshakeTimeout:    handshakeTimeout,
			IdleConnTimeout:        idleTimeout,
			MaxIdleConns:           maxIdle,
			MaxIdleConnsPerHost:    maxIdleAHost,
			DisableCompression:     true,
			MaxResponseHeaderBytes: maxHeader,
		},
	}
}
