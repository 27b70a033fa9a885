package httpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
)

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	return res.StatusCode, string(body)
}

// TestServeDrains: the request in flight finishes, new ones are refused, and Serve
// returns nil.
func TestServeDrains(t *testing.T) {
	t.Parallel()
	l := listen(t)
	ctx, stop := context.WithCancel(t.Context())
	draining, done := make(chan struct{}), make(chan error, 1)
	handler := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		stop()
		<-draining
		_, _ = io.WriteString(w, "finished")
	})
	go func() {
		done <- serve(ctx, discard(), func() {}, func() { close(draining) },
			[]Server{{Name: "test", Listener: l, Handler: handler}})
	}()
	if status, body := get(t, "http://"+l.Addr().String()); status != http.StatusOK || body != "finished" {
		t.Errorf("%d %s", status, body)
	}
	if err := <-done; err != nil {
		t.Errorf("Serve returned %v", err)
	}
	if _, err := new(net.Dialer).DialContext(t.Context(), "tcp", l.Addr().String()); err == nil {
		t.Error("it still listens")
	}
}

// TestServeEndsWhenAListenerFails, with the other servers.
func TestServeEndsWhenAListenerFails(t *testing.T) {
	t.Parallel()
	good, bad := listen(t), listen(t)
	_ = bad.Close()
	err := Serve(t.Context(), discard(), nil,
		Server{Name: "good", Listener: good, Handler: http.NotFoundHandler()},
		Server{Name: "bad", Listener: bad, Handler: http.NotFoundHandler()})
	if !errors.Is(err, net.ErrClosed) || !strings.Contains(err.Error(), "serve bad") {
		t.Errorf("%v", err)
	}
}

func TestInnerServesHealthAndMetrics(t *testing.T) {
	t.Parallel()
	failure := errors.New("the database is away")
	var ready error
	in := NewInner(prometheus.NewRegistry(), func(ctx context.Context) error {
		if _, limited := ctx.Deadline(); !limited {
			t.Error("the check may take for ever")
		}
		return ready
	})
	in.Handle("GET /extra", http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w,
			"more")
	}))
	want := func(path string, status int, text string) {
		t.Helper()
		w := httptest.NewRecorder()
		in.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != status || !strings.Contains(w.Body.String(), text) {
			t.Errorf("%s: %d %s, want %d %s", path, w.Code, w.Body, status, text)
		}
	}
	want("/readyz", http.StatusOK, "ok")
	ready = failure
	want("/readyz", http.StatusServiceUnavailable, failure.Error())
	want("/livez", http.StatusOK, "ok")
	want("/metrics", http.StatusOK, "")
	want("/extra", http.StatusOK, "more")
	want("/debug/pprof/", http.StatusNotFound, "")
	in.HandleDebug()
	want("/debug/pprof/", http.StatusOK, "goroutine")
	want("/debug/pprof/heap?debug=1", http.StatusOK, "heap profile")
	want("/debug/pprof/symbol", http.StatusOK, "num_symbols")
}

func TestCheckRequestsReadyz(t *testing.T) {
	t.Parallel()
	status := http.StatusOK
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" {
			t.Errorf("requested %s", r.URL.Path)
		}
		w.WriteHeader(status)
	}))
	address := srv.Listener.Addr().String()
	_, port, _ := net.SplitHostPort(address)
	for _, a := range []string{address, ":" + port, "0.0.0.0:" + port} {
		if err := Check(t.Context(), a); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	status = http.StatusTeapot
	if err := Check(t.Context(), address); err == nil || !strings.Contains(err.Error(), "418") {
		t.Errorf("%v", err)
	}
	srv.Close()
	if err := Check(t.Context(), address); err == nil {
		t.Error("Check succeeds without a listener")
	}
	if err := Check(t.Context(), "nonsense"); err == nil {
		t.Error("nonsense is an address")
	}
}

type leaving struct{}

// leave closes the connection of a request's client.
func leave(r *http.Request) { r.Context().Value(leaving{}).(context.CancelFunc)() }

func TestAccessLogHasOneLineARequest(t *testing.T) {
	t.Parallel()
	attrs := func(*http.Request) []slog.Attr { return []slog.Attr{slog.String("request_id", "req_1")} }
	broken := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "broken", http.StatusInternalServerError) }
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		status  int
		bytes   int
		lines   int
		aborted bool
	}{
		"no status": {func(http.ResponseWriter, *http.Request) {}, 200, 0, 1, false},
		"a body":    {func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "four") }, 200, 4, 1, false},
		"a status":  {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, 204, 0, 1, false},
		"after 103": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			w.WriteHeader(http.StatusNotFound)
		}, 404, 0, 1, false},
		"a panic": {func(http.ResponseWriter, *http.Request) { panic("oops") }, 500, 7, 2, false},
		"a panic, begun": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK); panic("oops") }, 200,
			0, 2, true,
		},
		"aborted": {
			func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusOK)
				panic(http.ErrAbortHandler)
			}, 200,
			0, 1, true,
		},
		"aborted for a client that is gone": {
			func(w http.ResponseWriter, r *http.Request) {
				leave(r)
				w.WriteHeader(http.StatusOK)
				panic(http.ErrAbortHandler)
			},
			StatusClientGone, 0, 1, true,
		},
		"a panic after 103": {func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(http.StatusEarlyHints)
			panic("oops")
		}, 500, 0, 2, false},
		"flushed through": {
			func(w http.ResponseWriter, _ *http.Request) { _ = http.NewResponseController(w).Flush() }, 200,
			0, 1, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var log bytes.Buffer
			h := AccessLog(slog.New(slog.NewJSONHandler(&log, nil)), attrs, broken, c.handler)
			func() {
				defer func() {
					if cause := recover(); (cause != nil) != c.aborted || c.aborted && cause != any(http.ErrAbortHandler) {
						t.Errorf("panics with %v", cause)
					}
				}()
				ctx, cancel := context.WithCancel(t.Context())
				ctx = context.WithValue(ctx, leaving{}, cancel)
				h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(
					ctx, http.MethodPost, "/path/shpt_live_secret?token=secret", strings.NewReader("secret")))
			}()
			lines := strings.Split(strings.TrimSpace(log.String()), "\n")
			if len(lines) != c.lines {
				t.Fatalf("%d lines: %s", len(lines), log.String())
			}
			var line struct {
				Msg, Method, Path string
				Status, Bytes     int
				Seconds           *float64
				RequestID         string `json:"request_id"`
			}
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &line); err != nil {
				t.Fatal(err)
			}
			if line.Msg != "request" || line.Method != http.MethodPost || line.Path != "/path/…" || line.Status != c.status ||
				line.Bytes != c.bytes || line.Seconds == nil || line.RequestID != "req_1" {
				t.Errorf("%+v", line)
			}
			if c.lines == 2 && (!strings.Contains(lines[0], "oops") || !strings.Contains(lines[0], "server_test.go")) {
				t.Errorf("the panic is logged as %s", lines[0])
			}
			if strings.Contains(log.String(), "secret") {
				t.Errorf("the token, the query or the body is in %s", log.String())
			}
		})
	}
}
