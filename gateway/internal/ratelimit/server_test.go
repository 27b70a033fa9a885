package ratelimit_test

import (
	"context"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// aclUser configures the user gateway, password hunter2, with the rights that the documentation names and no other.
const aclUser = "user gateway on >hunter2 ~rate:* -@all" +
	" +eval +evalsha +get +set +time +pexpireat +select +asking +cluster|slots"

// redisServer is a redis-server process of a test's own, on loopback. Its data is lost when it stops.
type redisServer struct {
	// Addr is host:port.
	Addr string

	config  string
	args    []string
	mu      sync.Mutex
	process *exec.Cmd
}

// startRedis starts a redis-server with these lines of configuration and waits until it accepts connections. Without an
// installed redis-server the test is skipped, or fails when CI is set. It stops when the test ends.
func startRedis(tb testing.TB, config ...string) *redisServer {
	tb.Helper()
	return startServer(tb, nil, config)
}

// startSentinel is [startRedis] for a Sentinel.
func startSentinel(tb testing.TB, config ...string) *redisServer {
	tb.Helper()
	return startServer(tb, []string{"--sentinel"}, config)
}

func startServer(tb testing.TB, args, config []string) *redisServer {
	tb.Helper()
	if _, err := exec.LookPath("redis-server"); err != nil {
		if os.Getenv("CI") != "" {
			tb.Fatal(err)
		}
		tb.Skip("redis-server is not installed")
	}
	s := &redisServer{Addr: freeAddr(tb), config: filepath.Join(tb.TempDir(), "redis.conf"), args: args}
	host, port, _ := net.SplitHostPort(s.Addr)
	lines := append([]string{"bind " + host, "port " + port, "dir " + filepath.Dir(s.config)}, config...)
	if args == nil {
		lines = append([]string{`save ""`}, lines...)
	}
	if err := os.WriteFile(s.config, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(s.Stop)
	s.Restart(tb)
	return s
}

// Restart starts the process again after [redisServer.Stop].
func (s *redisServer) Restart(tb testing.TB) {
	tb.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.process = exec.CommandContext(context.Background(), "redis-server", append([]string{s.config}, s.args...)...)
	if err := s.process.Start(); err != nil {
		tb.Fatal(err)
	}
	eventually(tb, "redis-server accepts connections", func() bool {
		conn, err := new(net.Dialer).DialContext(tb.Context(), "tcp", s.Addr)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
}

// Stop kills the process, as a crash of its machine does.
func (s *redisServer) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.process != nil {
		_ = s.process.Process.Kill()
		_ = s.process.Wait()
		s.process = nil
	}
}

// Client returns a client of this process alone.
func (s *redisServer) Client(tb testing.TB) *redis.Client {
	tb.Helper()
	client := redis.NewClient(&redis.Options{Addr: s.Addr})
	tb.Cleanup(func() { _ = client.Close() })
	return client
}

// freeAddr returns an address of loopback that nothing listens on.
func freeAddr(tb testing.TB) string {
	tb.Helper()
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	return listener.Addr().String()
}

// eventually waits until condition holds, and fails the test after 30 s.
func eventually(tb testing.TB, what string, condition func() bool) {
	tb.Helper()
	for start := time.Now(); !condition(); {
		if time.Since(start) > 30*time.Second {
			tb.Fatalf("not within 30 s: %s", what)
		}
		<-time.After(10 * time.Millisecond)
	}
}
