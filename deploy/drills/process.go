package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// spawn starts a server of the infrastructure, with its log in dir.
func spawn(dir, name string, owner devstack.Owner, env []string, program string, args ...string) (*devstack.Process, error) {
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // G204: our own arguments; ended by Stop
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin", "LC_ALL=C"}, env...)
	owner.Become(cmd)
	return devstack.StartProcess(name, dir, cmd)
}

func signal(pids []int, s syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, s) // it may have ended
	}
}

// waitUntil polls a condition.
func waitUntil(ctx context.Context, what string, timeout time.Duration, holds func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := holds()
		if err == nil {
			return nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			return errors.Join(fmt.Errorf("%s: %w", what, err), ctx.Err())
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// port returns the port of an address.
func port(address string) string {
	_, port, _ := net.SplitHostPort(address)
	return port
}
