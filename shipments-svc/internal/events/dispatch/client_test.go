package dispatch

import (
	"context"
	"encoding/binary"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/events/webhooks"
)

// names is a DNS server that answers address queries with its addresses in turn, and
// then always with the last.
func names(t *testing.T, addresses ...string) *net.Resolver {
	t.Helper()
	conn, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	var lookups atomic.Int64
	go func() {
		buf := make([]byte, 512)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			_, _ = conn.WriteTo(dnsAnswer(buf[:n], func() netip.Addr {
				return netip.MustParseAddr(addresses[min(int(lookups.Add(1)), len(addresses))-1])
			}), from)
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// dnsAnswer answers a query for A or AAAA records (RFC 1035, 4).
func dnsAnswer(question []byte, next func() netip.Addr) []byte {
	end := 12
	for question[end] != 0 {
		end += int(question[end]) + 1
	}
	kind := binary.BigEndian.Uint16(question[end+1:])
	answer := append([]byte{}, question[:end+5]...)
	copy(answer[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0})
	const a, aaaa = 1, 28
	var address netip.Addr
	if kind == a {
		address = next()
	} else if six := next(); six.Is6() && kind == aaaa {
		address = six
	}
	if !address.IsValid() || address.Is6() != (kind == aaaa) {
		return answer
	}
	answer[7] = 1
	answer = append(answer, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(address.BitLen()/8))
	return append(answer, address.AsSlice()...)
}

func job(url string) webhooks.Job { return webhooks.Job{URL: url, Secrets: []webhooks.Secret{{1}}} }

// TestPrivateAddressesAreRefused, by any name or spelling. Nothing listens there, so a
// connection attempt would have another outcome.
func TestPrivateAddressesAreRefused(t *testing.T) {
	t.Parallel()
	for what, address := range map[string]string{
		"loopback": "127.0.0.1", "loopback elsewhere": "127.255.255.254", "this network": "0.0.0.0",
		"private, 10": "10.1.2.3", "private, 172": "172.16.0.1",
		"private, 192": "192.168.1.1", "link-local": "169.254.1.1", "metadata": "169.254.169.254", "CGNAT": "100.64.0.1",
		"metadata of Alibaba": "100.100.100.200",
		"multicast":           "224.0.0.1", "broadcast": "255.255.255.255", "reserved": "240.0.0.1",
		"benchmarking":  "198.18.0.1",
		"documentation": "192.0.2.1",
		"IPv6 loopback": "::1", "IPv6 any": "::", "ULA": "fd00::1", "metadata of AWS, IPv6": "fd00:ec2::254",
		"IPv6 link-local": "fe80::1", "IPv6 multicast": "ff02::1",
		"mapped": "::ffff:10.0.0.1", "NAT64": "64:ff9b::10.0.0.1", "NAT64, local": "64:ff9b:1::10.0.0.1",
		"6to4": "2002:a00:1::1", "Teredo": "2001::1",
		"site-local": "fec0::1", "IPv6 documentation": "2001:db8::1", "compatible": "::10.0.0.1",
	} {
		client := NewClient(ClientConfig{Resolver: names(t, address)})
		if got, _, _ := send(t.Context(), client, job("https://hooks.example.com/"), "", nil,
			time.Now()); got != webhooks.AddressNotAllowed {
			t.Errorf("a name that leads to %s, %s: %s", address, what, got)
		}
		host := address
		if netip.MustParseAddr(address).Is6() {
			host = "[" + address + "]"
		}
		if got, _, _ := send(t.Context(), NewClient(ClientConfig{}), job("http://"+host+":8080/"), "", nil,
			time.Now()); got != webhooks.AddressNotAllowed {
			t.Errorf("%s, %s: %s", address, what, got)
		}
	}
}

// TestUnusualSpellings of addresses are names that do not exist, or refused as the
// address.
func TestUnusualSpellings(t *testing.T) {
	t.Parallel()
	client := NewClient(ClientConfig{Resolver: names(t, "127.0.0.1")})
	for _, host := range []string{
		"2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "127.0.0.1.", "localhost", "LOCALHOST.",
		"[::ffff:7f00:1]", "[0:0:0:0:0:ffff:127.0.0.1]", "[::1%25lo]",
	} {
		if got, _, _ := send(t.Context(), client, job("http://"+host+":1/"), "", nil, time.Now()); got == webhooks.Accepted ||
			got == webhooks.NoAnswer {
			t.Errorf("%s: %s", host, got)
		}
	}
}

// TestDNSRebindingIsRefused: the address of the connection is checked, not one of an
// earlier lookup.
func TestDNSRebindingIsRefused(t *testing.T) {
	t.Parallel()
	called := atomic.Bool{}
	srv := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer srv.Close()
	_, port, _ := net.SplitHostPort(srv.Listener.Addr().String())
	resolver := names(t, "192.0.2.1", "192.0.2.1", "127.0.0.1")
	client := NewClient(ClientConfig{Resolver: resolver})
	if _, err := resolver.LookupHost(t.Context(), "rebind.example.com"); err != nil {
		t.Fatal(err)
	}
	for range 4 {
		if got, _, _ := send(t.Context(), client, job("http://rebind.example.com:"+port+"/"), "", nil,
			time.Now()); got != webhooks.AddressNotAllowed {
			t.Error(got)
		}
	}
	if called.Load() {
		t.Error("it was called")
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	t.Parallel()
	called := atomic.Bool{}
	inner := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer inner.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		srv := httptest.NewServer(http.RedirectHandler(inner.URL, status))
		got, response, _ := send(t.Context(), NewClient(ClientConfig{Loopback: true}), job(srv.URL), "", nil, time.Now())
		srv.Close()
		if got != webhooks.Redirected || response != status {
			t.Errorf("%s, %d", got, response)
		}
	}
	if called.Load() {
		t.Error("it was followed")
	}
}

func TestProxyOfTheEnvironmentIsNotUsed(t *testing.T) {
	called := atomic.Bool{}
	proxy := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called.Store(true) }))
	defer proxy.Close()
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		t.Setenv(name, proxy.URL)
	}
	client := NewClient(ClientConfig{Resolver: names(t, "10.0.0.1")})
	if got, _, _ := send(t.Context(), client, job("http://hooks.example.com/"), "", nil,
		time.Now()); got != webhooks.AddressNotAllowed ||
		called.Load() {
		t.Errorf("%s, the proxy was called: %t", got, called.Load())
	}
}

// TestLoopbackIsNoPrivateAddress: with the setting, which other tests have, no further address is allowed.
func TestLoopbackIsNoPrivateAddress(t *testing.T) {
	t.Parallel()
	if got, _, _ := send(t.Context(), NewClient(ClientConfig{Loopback: true}), job("http://10.0.0.1/"), "", nil,
		time.Now()); got != webhooks.AddressNotAllowed {
		t.Errorf("a private address: %s", got)
	}
}

func TestRetryAfterIsSecondsOrADate(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	for value, want := range map[string]time.Duration{
		"120": 2 * time.Minute, "Fri, 20 Nov 2026 12:00:30 GMT": 30 * time.Second, "": 0, "-1": 0, "soon": 0, "1.5": 0,
		"99999999999999999999": 0,
	} {
		if got := retryAfter(value, now); got != want {
			t.Errorf("%q: %s, want %s", value, got, want)
		}
	}
}
