package main

import (
	"bufio"
	"context"
	"encoding/json"
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

	"github.com/quayside/quayside/deploy/test/devstack"
)

// firstVersion is the previous version while there is no earlier release.
const firstVersion = "88c5176"

// previousVersion returns the newest release before HEAD in the history of a
// repository, or firstVersion. A tag of HEAD itself does not count.
func previousVersion(t *testing.T, root string) string {
	t.Helper()
	tag, err := exec.CommandContext(t.Context(), "git", "-C", root, "describe", "--tags", "--abbrev=0", "--match=v[0-9]*", "--exclude=*-*", "HEAD^").Output()
	if err != nil { // no tag, or no history
		return firstVersion
	}
	return strings.TrimSpace(string(tag))
}

func TestThePreviousVersionIsTheReleaseBeforeHEAD(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	git := func(args ...string) {
		t.Helper()
		args = append([]string{"-C", root, "-c", "user.name=Test", "-c", "user.email=test@quayside.example", "-c", "commit.gpgsign=false"}, args...)
		if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
		}
	}
	git("init", "--quiet")
	for _, step := range []struct {
		tags []string // of the next commit
		want string
	}{
		{nil, firstVersion},
		{[]string{"v1.0.0", "gateway/v1.0.0"}, firstVersion},
		{nil, "v1.0.0"},
		{[]string{"v1.1.0-rc.1"}, "v1.0.0"},
		{[]string{"v1.1.0"}, "v1.0.0"},
		{nil, "v1.1.0"},
	} {
		git("commit", "--quiet", "--allow-empty", "--message=x")
		for _, tag := range step.tags {
			git("tag", tag)
		}
		if got := previousVersion(t, root); got != step.want {
			t.Errorf("after a commit with the tags %q: got %s, want %s", step.tags, got, step.want)
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

// startPrevious builds and starts the previous version. It skips the test where
// the clone has no history.
func startPrevious(t *testing.T) previous {
	t.Helper()
	root, err := devstack.FindRoot()
	if err != nil {
		t.Fatal(err)
	}
	commit := previousVersion(t, root)
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
