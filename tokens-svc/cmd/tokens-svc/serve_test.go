package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
)

const testOrg = "org_01k9x3v7t2e8sbq4m6n0pacdfg"

// served is a running server.
type served struct {
	public, gateways, inner string // addresses
	log                     *bytes.Buffer
	logged                  sync.WaitGroup
	stop                    context.CancelFunc
	ended                   chan error
}

// start runs serve on free ports and returns once it listens.
func start(t *testing.T, environ ...string) *served {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	read, write := io.Pipe()
	s := &served{log: &bytes.Buffer{}, stop: stop, ended: make(chan error, 1)}
	go func() {
		err := run(ctx, program{
			args: []string{"serve"}, stdin: strings.NewReader(""), stdout: io.Discard, stderr: write, now: time.Now(),
			environ: append([]string{
				"LISTEN_ADDRESS=127.0.0.1:0", "INNER_ADDRESS=127.0.0.1:0", "GATEWAYS_ADDRESS=127.0.0.1:0",
				"QUAYSIDE_DEMO=true", "LOG_LEVEL=debug", "GATEWAY_CREDENTIAL=" + testCredential, "TOKEN_PEPPERS=" + testPepper,
			}, environ...),
		})
		_ = write.Close()
		s.ended <- err
	}()
	lines := bufio.NewScanner(read)
	if lines.Scan(); !strings.Contains(lines.Text(),
		`"level":"WARN","msg":"development mode: accepts the public demo secrets"`) {
		t.Errorf("development mode is not announced: %s", lines.Text())
	}
	for (s.public == "" || s.gateways == "" || s.inner == "") && lines.Scan() {
		var line struct{ Msg, Server, Address string }
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("no JSON: %s", lines.Text())
		}
		switch line.Server {
		case "public":
			s.public = "http://" + line.Address
		case "gateways":
			s.gateways = "http://" + line.Address
		case "inner":
			s.inner = "http://" + line.Address
		}
	}
	s.logged.Go(func() {
		for lines.Scan() {
			s.log.Write(append(lines.Bytes(), '\n'))
		}
	})
	t.Cleanup(func() { stop(); s.logged.Wait() })
	if s.inner == "" {
		t.Fatalf("it does not listen: %v", <-s.ended)
	}
	return s
}

// finish stops the server and returns its log.
func (s *served) finish(t *testing.T) string {
	t.Helper()
	s.stop()
	if err := <-s.ended; err != nil {
		t.Errorf("after a clean stop: %v", err)
	}
	s.logged.Wait()
	return s.log.String()
}

// do sends a request and returns the answer's status and body.
func do(t *testing.T, method, address, form string, header http.Header) (int, string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, address, strings.NewReader(form))
	if err != nil {
		t.Fatal(err)
	}
	r.Header = header
	res, err := http.DefaultClient.Do(r)
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

func (s *served) introspect(t *testing.T, token string) (int, string) {
	t.Helper()
	return do(t, http.MethodPost, s.gateways+"/internal/v1/introspect", url.Values{"token": {token}}.Encode(), http.Header{
		"Authorization": {"Bearer " + testCredential}, "Content-Type": {"application/x-www-form-urlencoded"},
	})
}

// operate runs another command on the same database and returns its output.
func operate(t *testing.T, dsn string, args ...string) string {
	t.Helper()
	var out, errs strings.Builder
	err := run(t.Context(), program{
		args: args, environ: []string{"DATABASE_URL=" + dsn, "TOKEN_PEPPERS=" + testPepper},
		stdin: strings.NewReader(""), stdout: &out, stderr: &errs, now: time.Now(),
	})
	if err != nil {
		t.Fatalf("%s: %v", strings.Join(args, " "), err)
	}
	return strings.TrimSpace(out.String())
}

// newToken makes an organization and a token.
func newToken(t *testing.T, dsn string) (token, id string) {
	t.Helper()
	operate(t, dsn, "org", "create", "--name", "Acme", "--id", testOrg)
	token = operate(t, dsn, "token", "create", "--organization", testOrg, "--name", "ERP",
		"--permissions", "shipments:write")
	return token, "tok_" + token[len("shpt_live_"):][:12]
}

// TestServe: the commands' tokens are good at the listeners, until they are revoked.
func TestServe(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	s := start(t, "DATABASE_URL="+dsn)
	token, id := newToken(t, dsn)

	for path, want := range map[string]int{
		"/livez": 200, "/readyz": 200, "/metrics": 200,
		"/internal/v1/introspect": 404, "/api/v1/token": 404,
	} {
		if status, body := do(t, http.MethodGet, s.inner+path, "", nil); status != want {
			t.Errorf("inner %s: %d %s", path, status, body)
		}
	}
	if err := run(t.Context(), program{
		args: []string{"health"}, environ: []string{"INNER_ADDRESS=" + strings.TrimPrefix(s.inner, "http://")},
	}); err != nil {
		t.Errorf("health: %v", err)
	}
	if status, body := do(t, http.MethodGet, s.gateways+"/metrics", "", nil); status != http.StatusNotFound {
		t.Errorf("metrics for gateways: %d %s", status, body)
	}
	for _, path := range []string{"/livez", "/metrics", "/internal/v1/introspect"} {
		if status, body := do(t, http.MethodGet, s.public+path, "", nil); status != http.StatusNotFound {
			t.Errorf("public %s: %d %s", path, status, body)
		}
	}
	if status, body := s.introspect(t, token); status != http.StatusOK || !strings.Contains(body, `"active":true`) {
		t.Errorf("introspection: %d %s", status, body)
	}
	identity := http.Header{
		"X-Organization-Id": {testOrg}, "X-Token-Id": {id},
		"X-Token-Permissions": {"shipments:read shipments:write"},
	}
	if status, body := do(t, http.MethodGet, s.public+"/api/v1/token", "", identity); status != http.StatusOK ||
		!strings.Contains(body, id) {
		t.Errorf("token: %d %s", status, body)
	}
	operate(t, dsn, "token", "revoke", id)
	if status, body := s.introspect(t, token); status != http.StatusOK ||
		body != `{"active":false,"reason":"revoked"}`+"\n" {
		t.Errorf("revoked: %d %s", status, body)
	}
	if _, body := do(t, http.MethodGet, s.inner+"/metrics", "", nil); !strings.Contains(body,
		`quayside_tokens_introspections_total{result="revoked"} 1`) {
		t.Error("the revoked token is not counted")
	}
	if status, body := do(t, http.MethodGet, s.public+"/lost/"+token, "", nil); status != http.StatusNotFound {
		t.Errorf("a token in the path: %d %s", status, body)
	}
	identity["X-Token-Id"] = []string{token}
	if status, body := do(t, http.MethodGet, s.public+"/api/v1/token", "",
		identity); status != http.StatusUnauthorized {
		t.Errorf("a token for its id: %d %s", status, body)
	}
	log := s.finish(t)
	for _, want := range []string{`"path":"/lost/…`, `"token_id":"shpt_live_` + id[4:] + `_…"`} {
		if !strings.Contains(log, want) {
			t.Errorf("%s is missing from the log", want)
		}
	}
	if strings.Contains(log, token[len("shpt_live_000000000000_"):][:8]) {
		t.Errorf("the token is in the log: %s", log)
	}
}

// TestServeStartsWithoutPostgres and says that it is not ready.
func TestServeStartsWithoutPostgres(t *testing.T) {
	t.Parallel()
	s := start(t, "DATABASE_URL=postgres://nobody@127.0.0.1:1/tokens")
	for path, want := range map[string]int{"/livez": http.StatusOK, "/readyz": http.StatusServiceUnavailable} {
		if status, body := do(t, http.MethodGet, s.inner+path, "", nil); status != want {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
	if status, body := s.introspect(t,
		"shpt_live_000000000001_0000000000000000000000000000000027i4HK"); status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, body)
	}
	s.finish(t)
}

// TestServeWithoutANeededPepperIsNotReady: the token may be good, so the answer is 503 and never {"active":false}.
func TestServeWithoutANeededPepperIsNotReady(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	token, id := newToken(t, dsn)
	without := start(t, "DATABASE_URL="+dsn, "TOKEN_PEPPERS="+newerPepper)
	if status, body := without.introspect(t, token); status != http.StatusServiceUnavailable ||
		strings.Contains(body, "active") {
		t.Errorf("introspection: %d %s", status, body)
	}
	if status, body := do(t, http.MethodGet, without.inner+"/readyz", "",
		nil); status != http.StatusServiceUnavailable ||
		body != "live tokens need pepper version 1, which TOKEN_PEPPERS does not hold\n" {
		t.Errorf("/readyz: %d %s", status, body)
	}
	_, body := do(t, http.MethodGet, without.inner+"/metrics", "", nil)
	for _, want := range []string{
		`quayside_tokens_pepper_needed{pepper_version="1"} 1`, `quayside_tokens_pepper_needed{pepper_version="2"} 0`,
		`quayside_tokens_introspections_total{result="no_pepper"} 1`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("/metrics lacks %s", want)
		}
	}
	if log := without.finish(t); !strings.Contains(log, "token "+id+" needs pepper version 1") {
		t.Errorf("the log does not say why: %s", log)
	}

	// Step one of a rotation: the new pepper is loaded and seals nothing.
	both := start(t, "DATABASE_URL="+dsn, "TOKEN_PEPPERS="+testPepper+","+newerPepper)
	if status, body := both.introspect(t, token); status != http.StatusOK || !strings.Contains(body, `"active":true`) {
		t.Errorf("with the pepper: %d %s", status, body)
	}
	if status, body := do(t, http.MethodGet, both.inner+"/readyz", "", nil); status != http.StatusOK {
		t.Errorf("/readyz with the pepper: %d %s", status, body)
	}
	both.finish(t)
}

func TestServeSaysWhichAddressIsTaken(t *testing.T) {
	t.Parallel()
	var lc net.ListenConfig
	taken, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, name := range []string{"LISTEN_ADDRESS", "GATEWAYS_ADDRESS", "INNER_ADDRESS"} {
		err := run(t.Context(), program{
			args: []string{"serve"}, stderr: io.Discard, stdout: io.Discard,
			environ: []string{
				"DATABASE_URL=postgres://x@127.0.0.1:1/x", "GATEWAY_CREDENTIAL=" + testCredential, "TOKEN_PEPPERS=" +
					testPepper,
				"LISTEN_ADDRESS=127.0.0.1:0", "INNER_ADDRESS=127.0.0.1:0", "GATEWAYS_ADDRESS=127.0.0.1:0",
				"QUAYSIDE_DEMO=true", name + "=" + taken.Addr().String(),
			},
		})
		if err == nil || !strings.HasPrefix(err.Error(), name+": listen tcp ") {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
}

// brokenPipe is what a reader that went away leaves behind.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

// TestUnprintedSecretNamesItsToken: the token exists, so it must be named.
func TestUnprintedSecretNamesItsToken(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	operate(t, dsn, "org", "create", "--name", "Acme", "--id", testOrg)
	err := run(t.Context(), program{
		args:    []string{"token", "create", "--organization", testOrg, "--name", "ERP", "--permissions", "admin"},
		environ: []string{"DATABASE_URL=" + dsn, "TOKEN_PEPPERS=" + testPepper},
		stdout:  brokenPipe{}, stderr: io.Discard, now: time.Now(),
	})
	if err == nil || !strings.Contains(err.Error(), "was made but could not be printed; revoke it") ||
		strings.Contains(err.Error(), "shpt_") {
		t.Errorf("%v", err)
	}
}

// TestLogRedactsTokens wherever in a line they stand.
func TestLogRedactsTokens(t *testing.T) {
	t.Parallel()
	const token = "shpt_live_4fZyo82mVyR1_Qm3pXv9KcT7wNs2LdHb5RjFyAe8UgZ1x2NPy19"
	var out strings.Builder
	log := newLogger(&out, slog.LevelDebug)
	log.Debug("read "+token, "header", token, "error", errors.New("no host "+token),
		slog.Group("request", slog.String("path", "/"+token)), "bytes", 61)
	log.With("token", token).Warn("attribute of the logger")
	if text := out.String(); strings.Contains(text, "Qm3pXv9K") ||
		strings.Count(text, "shpt_live_4fZyo82mVyR1_…") != 5 ||
		!strings.Contains(text, `"bytes":61`) {
		t.Errorf("%s", text)
	}
}
