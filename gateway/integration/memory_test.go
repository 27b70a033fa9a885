package integration

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// memoryLimit is that of the shipped manifests, and of docker-compose.yml.
const memoryLimit = 512 << 20

// limitMemory makes the kernel end a process that uses more than memoryLimit. Without a cgroup the test is skipped.
func limitMemory(t *testing.T, process *os.Process) {
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
	group := filepath.Join(root, fmt.Sprintf("quayside-test-%d", process.Pid))
	if err := os.Mkdir(group, 0o700); err != nil {
		t.Skipf("no cgroup with a memory limit: %v", err)
	}
	t.Cleanup(func() { // once the process has ended
		_ = process.Signal(syscall.SIGTERM)
		for deadline := time.Now().Add(time.Minute); os.Remove(group) != nil && time.Now().Before(deadline); {
			time.Sleep(100 * time.Millisecond)
		}
	})
	for _, setting := range [][2]string{{file, fmt.Sprint(memoryLimit)}, {"cgroup.procs", fmt.Sprint(process.Pid)}} {
		if err := os.WriteFile(filepath.Join(group, setting[0]), []byte(setting[1]), 0); err != nil {
			t.Skipf("no cgroup with a memory limit: %v", err)
		}
	}
}

// Without a token a gateway is not killed at its memory limit: neither by idle connections nor by streams of HTTP/2
// with many header fields whose responses are not read. A client with a token is answered beside the connections.
func TestAFloodWithoutTokensFitsTheMemoryLimit(t *testing.T) {
	t.Parallel()

	race := debug.BuildSetting{Key: "-race", Value: "true"}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, race) {
		t.Skip("the race detector takes several times the memory")
	}
	g := start(t, options{env: map[string]string{
		// as Caddy sets it in a cgroup, and as the program does
		"REDIS_DOWN": "allow", "GOMEMLIMIT": fmt.Sprint(memoryLimit * 9 / 10), "GOGC": "400", "LOG_LEVEL": "error",
	}})
	limitMemory(t, g.process)
	token, _ := g.tokens.create(plenty)

	attacker := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(newLoopback(t))}, Timeout: 10 * time.Second}
	address := strings.TrimPrefix(g.url, "http://")
	var fields []string
	for n := range 600 { // after the first of each name they are indexed
		fields = append(fields, fmt.Sprintf("x-field-%d", n%50), "value")
	}
	head := append(
		[]string{":method", "GET", ":scheme", "http", ":authority", "api", ":path", "/api/v1/shipments"},
		fields...)
	connect := func() net.Conn {
		conn, err := attacker.DialContext(t.Context(), "tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		_ = conn.SetDeadline(time.Now().Add(10 * time.Second)) // the attack ends
		return conn
	}
	var attack sync.WaitGroup
	for range 80 {
		c := newHTTP2Conn(connect())
		attack.Go(func() { // each step fails once the gateway ends the connection
			err := c.begin(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 0})
			for n := 0; n < 100 && err == nil; n++ {
				err = c.open(true, head...)
			}
		})
	}
	attack.Wait()
	for range 2000 {
		connect()
	}
	for range 20 { // the flood has most of the processor, so a request may be late and is repeated, as clients do
		answered := func() bool {
			return g.get(t, "/api/v1/shipments", newCaller(t), token).StatusCode == http.StatusOK
		}
		eventually(t, answered, "a client with a token is not answered", g.log)
	}
}
