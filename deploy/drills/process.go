package drills

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// process is a server of the infrastructure.
type process struct {
	cmd  *exec.Cmd
	done chan struct{}
}

// spawn starts a program in a process group of its own, with its output in a
// file of dir.
func spawn(dir, name string, credential *syscall.Credential, env []string, program string, args ...string) (*process, error) {
	log, err := os.OpenFile(filepath.Join(dir, name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600) //nolint:gosec // G304: our own file
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd := exec.Command(program, args...) //nolint:gosec,noctx // G204: our own arguments; ended by kill
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, log, log
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH") + ":/usr/sbin", "LC_ALL=C"}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: credential}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	p := &process{cmd, make(chan struct{})}
	go func() {
		_ = cmd.Wait() // its log has the reason
		close(p.done)
	}()
	return p, nil
}

// kill ends the process and its group at once.
func (p *process) kill() {
	if p == nil {
		return
	}
	_ = syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) // it may have ended
	<-p.done
}

// family returns a process and its children.
func family(pid int) []int {
	all := []int{pid}
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path) //nolint:gosec // G304: of /proc
		if err != nil {
			continue // it has ended
		}
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		child, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && len(fields) > 1 && fields[1] == strconv.Itoa(pid) {
			all = append(all, child)
		}
	}
	return all
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

// freePort returns an unused port below the ephemeral range.
func freePort(ctx context.Context) (string, error) {
	for ; nextPort < 32768; nextPort++ {
		port := strconv.Itoa(nextPort)
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
		if err == nil {
			nextPort++
			return port, l.Close()
		}
	}
	return "", errors.New("no free port")
}

// nextPort begins above the ports of devstack.
var nextPort = 32100 + os.Getpid()%500

// postgresUser is the user as which Postgres and Patroni run: root may not.
func postgresUser() (*syscall.Credential, error) {
	if os.Geteuid() != 0 {
		return nil, nil //nolint:nilnil // the present user
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		return nil, err
	}
	uid, err1 := strconv.ParseUint(u.Uid, 10, 32)
	gid, err2 := strconv.ParseUint(u.Gid, 10, 32)
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, errors.Join(err1, err2)
}
