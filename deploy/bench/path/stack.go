package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/quayside/quayside/deploy/devstack"
)

// stack is the product of one commit, running.
type stack struct {
	name    string // "base" or "head"
	dir     string // a worktree
	address string // of the gateway
	cmd     *exec.Cmd
	ended   chan struct{}
	root    string
	tokens  []string // environment of tokens-svc's commands
}

const startTimeout = 10 * time.Minute // the first build of a commit included

// startStack checks a commit out and starts its stack.
func startStack(ctx context.Context, s settings, name, commit string) (_ *stack, err error) {
	st := &stack{name: name, root: s.root}
	defer func() {
		if err != nil {
			err = errors.Join(err, st.stop())
		}
	}()
	if st.dir, err = os.MkdirTemp("", "quayside-path-"+name+"-"); err != nil {
		return st, err
	}
	if _, err := git(ctx, s.root, "worktree", "add", "--detach", "--force", st.dir, commit); err != nil {
		return st, err
	}
	binary := filepath.Join(st.dir, ".bin", "devstack")
	build := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/devstack") //nolint:gosec // G204: our own arguments
	build.Dir = filepath.Join(st.dir, "deploy")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-trimpath")
	if out, err := build.CombinedOutput(); err != nil {
		return st, fmt.Errorf("build devstack of %s: %w:\n%s", commit, err, out)
	}
	addresses, err := devstack.FreeAddresses(ctx, 1)
	if err != nil {
		return st, err
	}
	st.address = addresses[0]
	_, port, _ := net.SplitHostPort(st.address)
	st.cmd = exec.Command(binary, "run") //nolint:gosec,noctx // G204: what was built above; ended by stop
	st.cmd.Dir = st.dir
	st.cmd.Env = append(os.Environ(), "QUAYSIDE_PORT="+port, "GOFLAGS=-trimpath")
	st.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := st.cmd.StdoutPipe()
	if err != nil {
		return st, err
	}
	st.cmd.Stderr = s.log
	if err := st.cmd.Start(); err != nil {
		st.cmd = nil
		return st, err
	}
	running := make(chan struct{})
	st.ended = make(chan struct{})
	go func() {
		defer close(st.ended)
		var once sync.Once
		for lines := bufio.NewScanner(out); lines.Scan(); {
			if strings.HasPrefix(lines.Text(), "Quayside is running") {
				once.Do(func() { close(running) })
			}
		}
		_ = st.cmd.Wait() // why it ended is on stderr
	}()
	select {
	case <-running:
	case <-st.ended:
		return st, fmt.Errorf("the stack of %s ended while starting", commit)
	case <-time.After(startTimeout):
		return st, fmt.Errorf("the stack of %s did not start within %s", commit, startTimeout)
	case <-ctx.Done():
		return st, ctx.Err()
	}
	return st, st.readHandle()
}

// readHandle reads what devstack leaves for other processes: the environment of
// tokens-svc's commands.
func (st *stack) readHandle() error {
	text, err := os.ReadFile(filepath.Join(st.dir, ".run", "secrets", "tokens-svc.json"))
	if err != nil {
		return err
	}
	var handle struct{ Environment []string }
	if err := json.Unmarshal(text, &handle); err != nil {
		return err
	}
	st.tokens = handle.Environment
	return nil
}

// dsn returns the URL of the database of a program of the stack.
func (st *stack) dsn(program string) (string, error) {
	pid, err := find(st.cmd.Process.Pid, program)
	if err != nil {
		return "", err
	}
	environ, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return "", err
	}
	for variable := range strings.SplitSeq(string(environ), "\x00") {
		if url, ok := strings.CutPrefix(variable, "DATABASE_URL="); ok {
			return url, nil
		}
	}
	return "", fmt.Errorf("%s of %s has no DATABASE_URL", program, st.name)
}

// operator runs a command of tokens-svc and decodes what it prints.
func (st *stack) operator(ctx context.Context, into any, args ...string) error {
	pid, err := find(st.cmd.Process.Pid, "tokens-svc")
	if err != nil {
		return err
	}
	binary, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/exe")
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, binary, append(args, "--json")...) //nolint:gosec // G204: the stack's own
	cmd.Env = st.tokens
	out, err := cmd.Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("tokens-svc %s: %w: %s", args[0], err, exit.Stderr)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(out, into)
}

// organization makes an organization with n tokens whose limit is never
// reached, and returns its id and the tokens.
func (st *stack) organization(ctx context.Context, name string, n int) (id string, tokens []string, err error) {
	var made struct{ Organization struct{ ID string } }
	if err := st.operator(ctx, &made, "org", "create", "--name", name); err != nil {
		return "", nil, err
	}
	id, tokens = made.Organization.ID, make([]string, n)
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(4)
	for i := range tokens {
		group.Go(func() error {
			var made struct{ Token struct{ Secret string } }
			err := st.operator(ctx, &made, "token", "create", "--organization", id, "--name", "bench",
				"--permissions", "admin", "--limit", "1000000", "--window-seconds", "60")
			tokens[i] = made.Token.Secret
			return err
		})
	}
	return id, tokens, group.Wait()
}

// stop ends the stack and removes what it left.
func (st *stack) stop() error {
	var errs []error
	if st.cmd != nil {
		_ = st.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		<-st.ended
		clean := exec.Command(filepath.Join(st.dir, ".bin", "devstack"), "clean") //nolint:gosec,noctx // G204: our own
		clean.Dir = st.dir
		errs = append(errs, clean.Run())
	}
	if st.dir != "" {
		remove := exec.Command("git", "worktree", "remove", "--force", st.dir) //nolint:gosec,noctx // G204: our own; also after an interrupt
		remove.Dir = st.root
		errs = append(errs, remove.Run())
	}
	return errors.Join(errs...)
}
