package integration

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"
)

// receiver is a service that reads the whole body and responds with its length.
func receiver(w http.ResponseWriter, r *http.Request) {
	n, err := io.Copy(io.Discard, r.Body)
	if err == nil {
		_, _ = fmt.Fprintf(w, `{"bytes":%d}`, n)
	}
}

// upload sends a document of size bytes at rate bytes per second, until it is complete or there is a response. A rate
// of 0 stops after half of it. It returns the response with the part of its body that it read.
func (g *gateway) upload(t *testing.T, token string, size, rate int) answer {
	t.Helper()
	const tick = 50 * time.Millisecond
	conn, err := g.dial()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	if _, err := fmt.Fprintf(conn,
		"POST /api/v1/shipments/ship_1/documents HTTP/1.1\r\nHost: api\r\nX-Forwarded-For: %s\r\n"+
			"Authorization: Bearer %s\r\nContent-Length: %d\r\nConnection: close\r\n\r\n",
		newCaller(t), token, size); err != nil {
		t.Fatal(err)
	}
	answered := make(chan answer, 1)
	go func() {
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("no response: %v; the log:\n%s", err, g.log)
			answered <- answer{Response: new(http.Response)}
			return
		}
		defer func() { _ = response.Body.Close() }()
		body, _ := io.ReadAll(response.Body) // the caller compares what was read
		answered <- answer{response, string(body)}
	}()
	if rate == 0 {
		_, _ = conn.Write(make([]byte, size/2))
		return <-answered
	}
	pace := time.NewTicker(tick)
	defer pace.Stop()
	for begin, sent := time.Now(), 0; sent < size; {
		due := min(size, int(time.Since(begin).Seconds()*float64(rate)))
		n, err := conn.Write(make([]byte, due-sent))
		sent += n
		if err != nil {
			break
		}
		select {
		case a := <-answered:
			return a
		case <-pace.C:
		}
	}
	return <-answered
}

// A document of 9 MB at 300 KB/s takes 30 s, longer than a body may pause, and is complete.
func TestASlowButSteadyUploadSucceeds(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(receiver), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create("")
	const size = 9_000_000
	a := g.upload(t, token, size, 300_000)
	if want := fmt.Sprintf(`{"bytes":%d}`, size); a.StatusCode != http.StatusOK || a.body != want {
		t.Errorf("%s %s; the log:\n%s", a.Status, a.body, g.log)
	}
}

// An upload that stops, or stays below the minimum rate, gets 408 with the cause.
func TestAnUploadThatStallsEndsWith408(t *testing.T) {
	t.Parallel()

	g := start(t, options{upstream: http.HandlerFunc(receiver), env: map[string]string{"REDIS_DOWN": "allow"}})
	token, _ := g.tokens.create("")
	for name, rate := range map[string]int{"stops": 0, "drips": 100} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := g.upload(t, token, 200_000, rate)
			p := a.problem(t)
			if a.StatusCode != http.StatusRequestTimeout || p["code"] != "request_timeout" ||
				a.Header.Get("X-Request-ID") != p["request_id"] {
				t.Errorf("%s %s; the log:\n%s", a.Status, a.body, g.log)
			}
		})
	}
}

// The timeout is longer than the largest body takes at the minimum rate.
func TestTimeoutsAllowTheLargestBodyAtTheMinimumRate(t *testing.T) {
	t.Parallel()

	shipped, err := os.ReadFile("testdata/shipped.json")
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Apps struct {
			HTTP struct {
				Servers map[string]struct {
					ReadTimeout time.Duration `json:"read_timeout"`
					ReadIdle    time.Duration `json:"read_idle_timeout"`
					ReadMinRate int64         `json:"read_min_rate"`
				}
			} `json:"http"`
		}
	}
	if err := json.Unmarshal(shipped, &config); err != nil || len(config.Apps.HTTP.Servers) == 0 {
		t.Fatalf("%v in %s", err, shipped)
	}
	largest := int64(0)
	for _, size := range regexp.MustCompile(`"max_size": (\d+)`).FindAllSubmatch(shipped, -1) {
		n, _ := strconv.ParseInt(string(size[1]), 10, 64)
		largest = max(largest, n)
	}
	for name, server := range config.Apps.HTTP.Servers {
		body := server.ReadIdle + time.Duration(largest/max(server.ReadMinRate, 1))*time.Second
		if server.ReadTimeout < body {
			t.Errorf("%s: a body may take %v, and read_body is %v", name, body, server.ReadTimeout)
		}
	}
}
