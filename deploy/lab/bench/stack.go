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
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// stack is the product of one commit, running.
type stack struct {
	*devstack.Stack // with tokens-svc only

	name    string // "base" or "head"
	dir     string // a worktree
	address string // of the gateway
	cmd     *exec.Cmd
	ended   chan struct{}
	root    string
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
	return st, st.attach()
}

// attach lets this program run tokens-svc's commands on the stack, with the
// environment that devstack writes for other processes.
func (st *stack) attach() error {
	text, err := os.ReadFile(filepath.Join(st.dir, ".run", "secrets", "tokens-svc.json"))
	if err != nil {
		return err
	}
	var handle struct{ Environment []string }
	if err := json.Unmarshal(text, &handle); err != nil {
		return err
	}
	running, err := find(st.cmd.Process.Pid, "tokens-svc")
	if err != nil {
		return err
	}
	binary, err := running.Executable()
	st.Stack = devstack.Attach(binary, handle.Environment)
	return err
}

// dsn returns the URL of the database of a program of the stack.
func (st *stack) dsn(program string) (string, error) {
	running, err := find(st.cmd.Process.Pid, program)
	if err != nil {
		return "", err
	}
	environ, err := running.Environ()
	if err != nil {
		return "", err
	}
	for _, variable := range environ {
		if url, ok := strings.CutPrefix(variable, "DATABASE_URL="); ok {
			return url, nil
		}
	}
	return "", fmt.Errorf("%s of %s has no DATABASE_URL", program, st.name)
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
