package drills

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/quayside/quayside/deploy/devstack"
)

// firstVersion is the version before this one while there is no release.
const firstVersion = "88c5176"

// TestThePreviousVersionRunsOnTheNewSchema, and the new version on the previous
// schema is not ready until that is migrated, and then without a restart.
func TestThePreviousVersionRunsOnTheNewSchema(t *testing.T) {
	old := startPrevious(t)
	root, err := devstack.FindRoot()
	if err != nil {
		t.Fatal(err)
	}
	bin, err := devstack.Build(t.Context(), root, false)
	if err != nil {
		t.Fatal(err)
	}

	// The new version on databases of the previous one.
	server := connect(t, old.dsn("postgres"))
	for _, name := range []string{"tokens", "shipments"} {
		execute(t, server, "CREATE DATABASE "+name+"_old")
		old.migrate(t, old.bin(), name, name+"_old")
		program := name + "-svc"
		inner := freeAddress(t)
		var log bytes.Buffer
		serve := exec.CommandContext(t.Context(), filepath.Join(bin, program), "serve")
		serve.Env = slices.Concat(old.environ, []string{
			"DATABASE_URL=" + old.dsn(name+"_old"), "DATABASE_DIRECT_URL=", "LISTEN_ADDRESS=" + freeAddress(t), "INNER_ADDRESS=" + inner,
			"AUDIT_KEYS=1:" + strings.Repeat("A", 43) + "=", "WEBHOOK_KEYS=1:" + strings.Repeat("A", 43) + "=",
			"DOCUMENTS_DIR=" + filepath.Join(tempDir(t), "documents"), "QUAYSIDE_DEMO=true",
		})
		serve.Stdout, serve.Stderr = &log, &log
		serve.Cancel = func() error { return serve.Process.Signal(syscall.SIGTERM) }
		if err := serve.Start(); err != nil {
			t.Fatal(err)
		}
		ready := func(want int) {
			t.Helper()
			for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) { // a poll
				status, text := get(t, "http://"+inner+"/readyz")
				if status == want {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("%s: /readyz is %d %s, want %d\n%s", program, status, text, want, &log)
				}
			}
		}
		ready(http.StatusServiceUnavailable)
		old.migrate(t, bin, name, name+"_old")
		ready(http.StatusOK)
	}

	// The previous version on databases that were migrated while it serves.
	before := old.serves(t, "on its own schema")
	for _, name := range []string{"tokens", "shipments"} {
		old.migrate(t, bin, name, name)
	}
	after := old.serves(t, "on the new schema")
	for _, token := range []string{before, after} {
		check := exec.CommandContext(t.Context(), filepath.Join(bin, "tokens-svc"), "token", "check")
		check.Env, check.Stdin = append(slices.Clone(old.environ), "SEAL_OLD_TOKENS=true"), strings.NewReader(token)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("the new version refuses a token of the previous one: %v\n%s", err, out)
		}
	}
}

// previous is a running stack of the previous version.
type previous struct {
	product
	environ []string // of tokens-svc
}

// bin is the directory of its programs, for go build -o.
func (p previous) bin() string { return filepath.Join(p.dir, ".previous") + "/" }

// startPrevious starts the newest release, or firstVersion, from the history. It
// skips the test where the clone has no history.
func startPrevious(t *testing.T) previous {
	t.Helper()
	root, err := devstack.FindRoot()
	if err != nil {
		t.Fatal(err)
	}
	commit := firstVersion
	if tag, err := exec.CommandContext(t.Context(), "git", "-C", root, "describe", "--tags", "--abbrev=0", "--match=v*").Output(); err == nil {
		commit = strings.TrimSpace(string(tag))
	}
	if err := exec.CommandContext(t.Context(), "git", "-C", root, "cat-file", "-e", commit+"^{commit}").Run(); err != nil {
		t.Skipf("the previous version, %s, is not in this clone: git fetch --unshallow --tags", commit)
	}
	p := previous{product: product{dir: tempDir(t)}}
	run := func(program string, args ...string) {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Dir, cmd.Env = filepath.Join(p.dir, "deploy"), append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
		if program == "git" {
			cmd.Dir = root
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
		}
	}
	if err := os.Remove(p.dir); err != nil { // git creates it
		t.Fatal(err)
	}
	run("git", "worktree", "add", "--detach", "--force", p.dir, commit)
	t.Cleanup(func() {
		if out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "git", "-C", root, "worktree", "remove", "--force", p.dir).CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, out)
		}
	})
	run("go", "build", "-o", p.bin(), "./cmd/devstack", "../tokens-svc/cmd/tokens-svc", "../shipments-svc/cmd/shipments-svc")
	_, port, _ := net.SplitHostPort(freeAddress(t))
	cmd := exec.CommandContext(t.Context(), p.bin()+"devstack", "run")
	cmd.Dir, cmd.Env, cmd.Stderr = p.dir, append(os.Environ(), "QUAYSIDE_PORT="+port, "GOFLAGS=-trimpath"), os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		_ = devstack.Clean(filepath.Join(p.dir, ".run"))
	})
	lines := bufio.NewScanner(out)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "Quayside is running") {
		t.Log(lines.Text())
	}
	go func() {
		for lines.Scan() { // so that it never waits for its reader
		}
	}()
	var handle struct{ Environment []string }
	if err := json.Unmarshal(read(t, filepath.Join(p.dir, ".run", "secrets", "tokens-svc.json")), &handle); err != nil {
		t.Fatal(err)
	}
	p.environ = handle.Environment
	p.Stack = &devstack.Stack{URL: "http://127.0.0.1:" + port}
	return p
}

var databaseURL = regexp.MustCompile(`^DATABASE_URL=(.*)$`)

// dsn returns the DSN of a database of the stack's server.
func (p previous) dsn(name string) string {
	for _, setting := range p.environ {
		if url := databaseURL.FindStringSubmatch(setting); url != nil {
			return database(url[1], name)
		}
	}
	return ""
}

// migrate migrates a database with the program of a directory.
func (p previous) migrate(t *testing.T, bin, service, name string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, service+"-svc"), "migrate", "up")
	cmd.Env = append(slices.Clone(p.environ), "DATABASE_URL="+p.dsn(name), "DATABASE_DIRECT_URL=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("migrate %s: %v\n%s", name, err, out)
	}
}

// serves creates a token on the command line, and a shipment with it, attaches
// a document and reads both. It returns the token.
func (p previous) serves(t *testing.T, when string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), p.bin()+"devstack", "token")
	cmd.Dir = p.dir
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: devstack token: %v", when, err)
	}
	token := strings.TrimSpace(string(out))
	path, _ := p.upload(t, token, len(when))
	for _, read := range []string{path, "/api/v1/shipments?per_page=100", "/api/v1/token"} {
		if res := p.call(t, http.MethodGet, read, token, nil, ""); res.status != http.StatusOK {
			t.Errorf("%s: GET %s is %d %s", when, read, res.status, res.body)
		}
	}
	return token
}

func get(t *testing.T, url string) (status int, text string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error() // it does not listen yet
	}
	defer func() { _ = res.Body.Close() }()
	content, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(content)
}

func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	return fmt.Sprint(l.Addr())
}
