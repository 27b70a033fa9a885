package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptrace"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/assertion"
	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/shipments-svc/internal/postgres"
)

func TestMain(m *testing.M) {
	testscript.Main(postgrestest.Main{M: m}, map[string]func(){"shipments-svc": main})
}

// TestCommandLine runs the scripts in testdata, each with a database of its
// own.
func TestCommandLine(t *testing.T) {
	t.Parallel()
	scripts, err := filepath.Glob("testdata/*.txt*")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts, %v", len(scripts), err)
	}
	for _, script := range scripts {
		t.Run(filepath.Base(script), func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.New(t, postgres.Migrate)
			testscript.Run(t, testscript.Params{
				Files: []string{script},
				Setup: func(env *testscript.Env) error {
					env.Setenv("DATABASE_URL", dsn)
					return nil
				},
			})
		})
	}
}

// webhookKeys are those of the demo.
const webhookKeys = "WEBHOOK_KEYS=1:ZGVtby13ZWJob29rLWtleS1mb3ItbGFwdG9wcy14eHg="

// running is a service that a test started.
type running struct {
	public, inner string
	stop          context.CancelFunc
	done          chan error
	log           *bufio.Scanner
}

// start runs `serve` on free ports and waits until it listens.
func start(t *testing.T) *running {
	t.Helper()
	dsn := postgrestest.New(t, postgres.Migrate)
	ctx, stop := context.WithCancel(t.Context())
	logReader, logWriter := io.Pipe()
	s := &running{stop: stop, done: make(chan error, 1), log: bufio.NewScanner(logReader)}
	go func() {
		err := run(ctx, program{
			args: []string{"serve"}, stdout: io.Discard, stderr: logWriter,
			environ: []string{
				"DATABASE_URL=" + dsn, "LISTEN_ADDRESS=127.0.0.1:0", "INNER_ADDRESS=127.0.0.1:0", "QUAYSIDE_DEMO=true",
				"DOCUMENTS_DIR=" + t.TempDir(),
				webhookKeys,
			},
		})
		_ = logWriter.Close()
		s.done <- err
	}()
	if line := s.next(t, "development mode: accepts the public demo secrets"); line["level"] != "WARN" {
		t.Errorf("development mode is announced as %v", line)
	}
	for s.public == "" || s.inner == "" {
		line := s.next(t, "listening")
		switch line["server"] {
		case "public":
			s.public = line["address"].(string)
		case "inner":
			s.inner = line["address"].(string)
		}
	}
	return s
}

// next reads the log up to a message.
func (s *running) next(t *testing.T, message string) map[string]any {
	t.Helper()
	for s.log.Scan() {
		var line map[string]any
		if err := json.Unmarshal(s.log.Bytes(), &line); err != nil {
			t.Fatalf("%v: %s", err, s.log.Text())
		}
		if line["msg"] == message {
			return line
		}
	}
	t.Fatalf("the log ended before %q", message)
	return nil
}

func (s *running) drainLog() {
	for s.log.Scan() { // only so that nothing waits for a reader
	}
}

// TestServeFinishesTheRequestInFlight: after SIGTERM in the middle of a request,
// the service responds to it and then exits.
func TestServeFinishesTheRequestInFlight(t *testing.T) {
	t.Parallel()
	s := start(t)
	body, send := io.Pipe()
	reading := make(chan struct{}) // closed when the service has begun to read the body
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(reading) }})
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+s.public+"/api/v1/shipments", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Expect", "100-continue")
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(assertion.HeaderOrganization, publicid.New("org"))
	req.Header.Set(assertion.HeaderToken, "tok_4fZyo82mVyR1")
	req.Header.Set(assertion.HeaderPermissions, "shipments:write")
	go func() {
		<-reading
		s.stop()
		s.next(t, "draining")
		go s.drainLog()
		_, _ = io.WriteString(
			send, `{"shipment":{"reference":"PO-1","vessel":"MSC Carmen","origin":"Valparaíso","destination":"Rotterdam"}}`,
		)
		_ = send.Close()
	}()
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	if answer, _ := io.ReadAll(res.Body); res.StatusCode != http.StatusCreated {
		t.Errorf("status %d: %s", res.StatusCode, answer)
	}
	if err := <-s.done; err != nil {
		t.Errorf("serve returned %v", err)
	}
}

func TestServeShowsItsHealthAndMetricsInsideOnly(t *testing.T) {
	t.Parallel()
	s := start(t)
	go s.drainLog()
	for url, want := range map[string]struct {
		status int
		text   string
	}{
		s.inner + "/livez":    {http.StatusOK, "ok"},
		s.inner + "/readyz":   {http.StatusOK, "ok"},
		s.inner + "/metrics":  {http.StatusOK, `go_sql_max_open_connections{db_name="shipments-events"} 10`},
		s.public + "/livez":   {http.StatusNotFound, "not_found"},
		s.public + "/metrics": {http.StatusNotFound, "not_found"},
	} {
		status, body := get(t, "http://"+url)
		if status != want.status || !strings.Contains(body, want.text) {
			t.Errorf("%s: %d %.300s", url, status, body)
		}
	}
	get(t, "http://"+s.public+"/api/v1/shipments")
	if _, body := get(t, "http://"+s.inner+"/metrics"); !strings.Contains(body, "go_goroutines") {
		t.Errorf("%.300s", body)
	}
	environ := []string{"DATABASE_URL=host=nowhere", "INNER_ADDRESS=" + s.inner}
	if err := run(t.Context(), program{args: []string{"health"}, environ: environ}); err != nil {
		t.Errorf("health: %v", err)
	}
	s.stop()
	if err := <-s.done; err != nil {
		t.Errorf("serve returned %v", err)
	}
	if err := run(t.Context(), program{args: []string{"health"}, environ: environ}); err == nil {
		t.Error("health finds a service that has ended")
	}
}

// TestServeNeedsNoPostgresToStart: it says that it is not ready, and lives.
func TestServeNeedsNoPostgresToStart(t *testing.T) {
	t.Parallel()
	ctx, stop := context.WithCancel(t.Context())
	logReader, logWriter := io.Pipe()
	s := &running{log: bufio.NewScanner(logReader), done: make(chan error, 1)}
	go func() {
		s.done <- run(ctx, program{
			args: []string{"serve"}, stderr: logWriter,
			environ: []string{
				"DATABASE_URL=postgres://127.0.0.1:1/none", "LISTEN_ADDRESS=127.0.0.1:0",
				"INNER_ADDRESS=127.0.0.1:0", "QUAYSIDE_DEMO=true", "DOCUMENTS_DIR=" + t.TempDir(), webhookKeys,
			},
		})
		_ = logWriter.Close()
	}()
	s.next(t, "listening")
	inner := s.next(t, "listening")["address"].(string)
	go s.drainLog()
	if status, body := get(t, "http://"+inner+"/readyz"); status != http.StatusServiceUnavailable ||
		!strings.Contains(body, "unavailable") {
		t.Errorf("readyz: %d %s", status, body)
	}
	if status, _ := get(t, "http://"+inner+"/livez"); status != http.StatusOK {
		t.Errorf("livez: %d", status)
	}
	if err := run(t.Context(), program{
		args:    []string{"health"},
		environ: []string{"DATABASE_URL=host=nowhere", "INNER_ADDRESS=" + inner},
	}); err == nil {
		t.Error("health succeeds although it is not ready")
	}
	stop()
	if err := <-s.done; err != nil {
		t.Error(err)
	}
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}
