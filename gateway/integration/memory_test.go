package integration

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// memoryLimit is that of the shipped manifests, and of docker-compose.yml.
const memoryLimit = 512 << 20

// limitMemory makes the kernel end a process that uses more than memoryLimit. Without a cgroup the test is skipped.
func limitMemory(t *testing.T, pid int) {
	t.Helper()
	own, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		t.Skip(err)
	}
	root, file := "", ""
	for line := range strings.Lines(string(own)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case parts[1] == "memory": // of version 1
			root, file = "/sys/fs/cgroup/memory"+parts[2], "memory.limit_in_bytes"
		case parts[0] == "0" && root == "": // of version 2
			root, file = "/sys/fs/cgroup"+parts[2], "memory.max"
		}
	}
	group := filepath.Join(root, fmt.Sprintf("quayside-test-%d", pid))
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skipf("no cgroup with a memory limit: %v", err)
	}
	t.Cleanup(func() { // once the gateway has ended
		for deadline := time.Now().Add(time.Minute); os.Remove(group) != nil && time.Now().Before(deadline); {
			time.Sleep(100 * time.Millisecond)
		}
	})
	for _, setting := range [][2]string{{file, fmt.Sprint(memoryLimit)}, {"cgroup.procs", fmt.Sprint(pid)}} {
		if err := os.WriteFile(filepath.Join(group, setting[0]), []byte(setting[1]), 0); err != nil {
			t.Skipf("no cgroup with a memory limit: %v", err)
		}
	}
}

// Without a token a gateway is not killed at its memory limit: neither by idle connections nor by streams of HTTP/2
// with many header fields whose responses are not read. A client with a token is answered meanwhile.
func TestAFloodWithoutTokensFitsTheMemoryLimit(t *testing.T) {
	t.Parallel()

	g := start(t, options{env: map[string]string{
		"REDIS_DOWN": "allow", "GOMEMLIMIT": fmt.Sprint(memoryLimit * 9 / 10), "LOG_LEVEL": "error", // as Caddy sets it in a cgroup
	}})
	limitMemory(t, g.process.Pid)
	token, _ := g.tokens.create(plenty)
	g.introspect(t, token)

	attacker := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(newLoopback(t))}, Timeout: 10 * time.Second}
	address := strings.TrimPrefix(g.url, "http://")
	var fields []string
	for n := range 600 { // after the first of each name they are indexed
		fields = append(fields, fmt.Sprintf("x-field-%d", n%50), "value")
	}
	head := append([]string{":method", "GET", ":scheme", "http", ":authority", "api", ":path", "/api/v1/shipments"}, fields...)
	for range 80 {
		conn, err := attacker.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(time.Minute))
		c := newHTTP2Conn(conn)
		if err := c.begin(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0}); err != nil {
			continue // the gateway may end it
		}
		for range 100 {
			if c.open(true, head...) != nil {
				break
			}
		}
	}
	for range 2000 {
		conn, err := attacker.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
	}
	for range 20 { // the flood has most of the processor, so a request may be late and is repeated, as clients do
		answered := func() bool {
			return g.get(t, "/api/v1/shipments", newCaller(t), token).StatusCode == http.StatusOK
		}
		eventually(t, answered, "a client with a token is not answered", g.log)
	}
}
