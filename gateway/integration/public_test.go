package integration

import (
	"net"
	"net/http"
	"strconv"
	"sync/atomic"
	"testing"
)

// Public paths have an exact limit by address without Redis: it is not called for requests that are forwarded, refused,
// or refused by Caddy before the gate.
func TestPublicPathsAreLimitedWithoutRedis(t *testing.T) {
	t.Parallel()

	var calls atomic.Int32
	redis, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = redis.Close() })
	go func() {
		for {
			conn, err := redis.Accept()
			if err != nil {
				return
			}
			calls.Add(1)
			_ = conn.Close()
		}
	}()
	upstream := new(visited)
	g := start(t, options{upstream: upstream, env: map[string]string{"REDIS_URL": "redis://" + redis.Addr().String()}})

	caller := newCaller(t)
	for !hasTime(t, g.get(t, "/api/v1/openapi.json", caller, "")) {
		caller = newCaller(t)
	}
	_ = upstream.take()
	paths := []string{"/api/v1/openapi.json", "/api/v1/openapi/tokens.json", "/api/v1/openapi%2Ejson"}
	for n := 2; n <= 610; n++ {
		request := g.request(t, paths[n%len(paths)], caller, "")
		if n%3 == 0 {
			request.Method = http.MethodHead
		}
		a := g.do(t, request)
		want := http.StatusOK
		if n > 600 {
			want = http.StatusTooManyRequests
		}
		if a.StatusCode != want || a.Header.Get("X-RateLimit-Remaining") != strconv.Itoa(max(600-n, 0)) {
			t.Fatalf("request %d: %s, remaining %s", n, a.Status, a.Header.Get("X-RateLimit-Remaining"))
		}
		if (n > 600) != (a.Header.Get("Retry-After") != "") {
			t.Errorf("request %d: Retry-After %s", n, a.Header.Get("Retry-After"))
		}
	}
	if n := len(upstream.take()); n != 599 {
		t.Errorf("%d requests were forwarded", n)
	}

	request := g.request(t, "/api/v1/openapi.json", caller, "")
	request.Host = ".."
	if a := g.do(t, request); a.StatusCode != http.StatusTooManyRequests {
		t.Errorf("a host of dots: %s", a.Status)
	}
	for _, method := range []string{
		http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
		http.MethodOptions, "BREW",
	} {
		request := g.request(t, "/api/v1/openapi.json", newCaller(t), "")
		request.Method = method
		a := g.do(t, request)
		if a.StatusCode != http.StatusMethodNotAllowed || a.Header.Get("Allow") != "GET, HEAD" ||
			a.problem(t)["code"] != "method_not_allowed" {
			t.Errorf("%s: %s, Allow %q", method, a.Status, a.Header.Get("Allow"))
		}
	}
	if n := len(upstream.take()); n != 0 {
		t.Errorf("%d requests by other methods were forwarded", n)
	}
	if n := calls.Load(); n != 0 {
		t.Errorf("Redis was called %d times", n)
	}
}
