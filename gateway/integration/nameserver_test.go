package integration

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"
)

// nameServerVariable makes the gateway of a test use a name server of the test.
const nameServerVariable = "QUAYSIDE_TEST_NAME_SERVER"

func useNameServer(address string) {
	if address == "" {
		return
	}
	net.DefaultResolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", address)
	}}
}

// nameServer resolves every name to the same IPv4 addresses.
type nameServer struct {
	address string
	found   atomic.Pointer[[]netip.Addr] // nil: server failure
}

func newNameServer(t *testing.T, found ...netip.Addr) *nameServer {
	t.Helper()
	conn, err := net.ListenUDP("udp", net.UDPAddrFromAddrPort(netip.MustParseAddrPort("127.0.0.1:0")))
	if err != nil {
		t.Fatal(err)
	}
	s := &nameServer{address: conn.LocalAddr().String()}
	s.found.Store(&found)
	ended := make(chan struct{})
	t.Cleanup(func() { _ = conn.Close(); <-ended })
	go func() {
		defer close(ended)
		for message := make([]byte, 512); ; {
			n, from, err := conn.ReadFromUDP(message)
			if err != nil {
				return
			}
			_, _ = conn.WriteToUDP(s.answer(message[:n]), from)
		}
	}()
	return s
}

// answer makes a response (RFC 1035, section 4) out of a query for one name.
func (s *nameServer) answer(query []byte) []byte {
	end := 12 // of the question: a name, its type and its class
	for query[end] != 0 {
		end += 1 + int(query[end])
	}
	end += 5
	answer := append([]byte(nil), query[:end]...)
	copy(answer[2:], []byte{0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0}) // a response to one question
	const typeA = 1
	found := s.found.Load()
	switch {
	case found == nil:
		answer[3] |= 2 // server failure
	case binary.BigEndian.Uint16(query[end-4:]) == typeA:
		answer[7] = byte(len(*found))
		for _, ip := range *found {
			answer = append(answer, 0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4) // the name in the question, TTL 0
			answer = append(answer, ip.AsSlice()...)
		}
	}
	return answer
}
