package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// server is a running target.
type server struct {
	name    string
	address string // host:port of its public listener
	cmd     *exec.Cmd
	log     *os.File
	done    chan struct{} // closed when it has ended
}

// serverConfig describes a server to start.
type serverConfig struct {
	name    string
	command []string
	address string
	ready   string   // a URL that answers 200 when it is ready
	env     []string // all of it
	on      string   // cores
}

// startServer starts the program and waits until it is ready. Its log is a file.
func startServer(ctx context.Context, dir string, c serverConfig) (*server, error) {
	s := &server{name: c.name, address: c.address, done: make(chan struct{})}
	var err error
	//nolint:gosec // G304: our own directory
	if s.log, err = os.OpenFile(filepath.Join(dir, "log", c.name+".log"), os.O_CREATE|os.O_APPEND|os.O_RDWR|os.O_TRUNC, 0o600); err != nil {
		return nil, err
	}
	s.cmd = command(c.on, c.command[0], c.command[1:]...)
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = c.env, s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C reaches this process only, which stops it
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // its log has the reason
		close(s.done)
	}()
	return s, s.await(ctx, c.ready)
}

// pid is the process whose CPU is measured; taskset replaces itself by it.
func (s *server) pid() int { return s.cmd.Process.Pid }

// startTimeout bounds a server's start.
const startTimeout = 30 * time.Second

func (s *server) await(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := isReady(ctx, url)
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-s.done:
			return errors.Join(fmt.Errorf("%s ended while starting:\n%s", s.name, s.tail()), s.stop())
		case <-ctx.Done():
			return errors.Join(fmt.Errorf("%s is not ready: %w:\n%s", s.name, err, s.tail()), s.stop())
		}
	}
}

func isReady(ctx context.Context, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		return errors.New(res.Status)
	}
	return nil
}

// emptyLog truncates the log.
func (s *server) emptyLog() error { return s.log.Truncate(0) }

// tail is the end of its log.
func (s *server) tail() []byte {
	const size = 2 << 10
	info, err := s.log.Stat()
	if err != nil {
		return nil
	}
	text := make([]byte, min(size, info.Size()))
	n, _ := s.log.ReadAt(text, info.Size()-int64(len(text))) // a partial read is enough
	return text[:n]
}

// stop ends the server.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have exited
	select {
	case <-s.done:
	case <-time.After(startTimeout):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	return s.log.Close()
}

// with returns env with variables, "NAME=value", set anew.
func with(env []string, variables ...string) []string {
	env = slices.Clone(env)
	for _, variable := range variables {
		name, _, _ := strings.Cut(variable, "=")
		env = slices.DeleteFunc(env, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	return append(env, variables...)
}
