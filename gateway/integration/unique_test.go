package integration

import (
	"crypto/rand"
	"fmt"
	"hash/crc32"
	"math/big"
	mathrand "math/rand/v2"
	"net"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// newToken returns a new well-formed token and its id.
func newToken() (token, id string) {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	id = rand.Text()[:12]
	token = "shpt_live_" + id + "_" + rand.Text() + "000000"
	sum := crc32.ChecksumIEEE([]byte(token))
	checksum := make([]byte, 6)
	for i := 5; i >= 0; i-- {
		checksum[i] = digits[sum%62]
		sum /= 62
	}
	return token + string(checksum), "tok_" + id
}

// newCaller returns a client address that no other test uses.
func newCaller(t testing.TB) string {
	t.Helper()
	n, err := rand.Int(rand.Reader, big.NewInt(1<<48))
	if err != nil {
		t.Fatal(err)
	}
	v := n.Uint64()
	return fmt.Sprintf("2001:db8:%x:%x::1", v>>16&0xffff, v&0xffff)
}

// freePort returns a port that nothing listens on. Caddy shares a port with other processes that listen on it, so two
// gateways must never get the same, not even by two runs of these tests at once: the UDP port of that number
// is reserved until the process exits.
func freePort(t testing.TB) string {
	t.Helper()
	// or a process that starts could keep the listener for a moment, until it executes its program
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for range 1000 {
		port := strconv.Itoa(int(lastPort.Add(1)))
		sign, err := net.ListenPacket("udp", "127.0.0.1:"+port)
		if err != nil {
			continue
		}
		if listener, err := net.Listen("tcp", "127.0.0.1:"+port); err == nil {
			_ = listener.Close()
			reserved.Store(port, sign)
			return port
		}
		_ = sign.Close()
	}
	t.Fatal("no free port")
	return ""
}

// lastPort is the port that freePort tried last, out of those that the system gives to no outgoing connection; reserved
// holds the UDP sockets of those that it returned.
var (
	lastPort atomic.Int32
	reserved sync.Map
)

func init() { lastPort.Store(10000 + mathrand.Int32N(8000)) }
