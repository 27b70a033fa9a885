package ratelimit_test

import (
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/internal/ratelimit"
)

// redisProxy is a TCP proxy to Redis with faults. It is safe for concurrent use.
type redisProxy struct {
	listener net.Listener
	target   string
	database string

	mu      sync.Mutex
	delay   time.Duration
	down    bool
	hung    bool
	answers int64 // bytes of replies before a connection is cut; below 0: unlimited
	open    map[net.Conn]bool
}

// newRedisProxy returns a proxy to the Redis of TEST_REDIS_URL. It is closed when the test ends.
func newRedisProxy(tb testing.TB) *redisProxy {
	tb.Helper()
	target, err := url.Parse(ratelimit.RedisURL(tb))
	if err != nil {
		tb.Fatal(err)
	}
	listener, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &redisProxy{
		listener: listener, target: target.Host, database: target.Path, answers: -1,
		open: map[net.Conn]bool{},
	}
	go p.serve()
	tb.Cleanup(func() {
		_ = listener.Close()
		p.SetHung(false)
		p.Cut()
	})
	return p
}

// URL is the address of the proxy.
func (p *redisProxy) URL() string { return "redis://" + p.listener.Addr().String() + p.database }

// SetDown makes the proxy cut all connections, present and new, or serve again.
func (p *redisProxy) SetDown(down bool) {
	p.set(func() { p.down = down })
	if down {
		p.Cut()
	}
}

// SetHung holds back replies, or releases them.
func (p *redisProxy) SetHung(hung bool) { p.set(func() { p.hung = hung }) }

// SetDelay delays each reply.
func (p *redisProxy) SetDelay(delay time.Duration) { p.set(func() { p.delay = delay }) }

// CutAfter cuts one connection after so many more bytes of replies.
func (p *redisProxy) CutAfter(bytes int64) { p.set(func() { p.answers = bytes }) }

// Cut cuts all connections.
func (p *redisProxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.open {
		_ = conn.Close()
	}
}

func (p *redisProxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
}

func (p *redisProxy) serve() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(client)
	}
}

// pass serves one connection.
func (p *redisProxy) pass(client net.Conn) {
	redis, err := net.Dial("tcp", p.target)
	if err != nil {
		_ = client.Close()
		return
	}
	p.set(func() {
		p.open[client], p.open[redis] = true, true
		if p.down {
			_ = client.Close()
		}
	})
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(redis, client)
		_ = redis.Close()
	}()
	p.answer(client, redis)
	_ = client.Close()
	_ = redis.Close()
	<-done
	p.set(func() {
		delete(p.open, client)
		delete(p.open, redis)
	})
}

// answer copies replies to the client, with the faults that are set.
func (p *redisProxy) answer(client, redis net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := redis.Read(buffer)
		if err != nil {
			return
		}
		for p.isHung() {
			<-time.After(time.Millisecond)
		}
		var delay time.Duration
		cut := false
		p.set(func() {
			delay = p.delay
			if cut = p.answers >= 0 && p.answers <= int64(n); cut {
				n, p.answers = int(p.answers), -1
			} else if p.answers >= 0 {
				p.answers -= int64(n)
			}
		})
		if delay > 0 {
			<-time.After(delay)
		}
		if _, err := client.Write(buffer[:n]); err != nil || cut {
			return
		}
	}
}

func (p *redisProxy) isHung() (hung bool) {
	p.set(func() { hung = p.hung })
	return hung
}
