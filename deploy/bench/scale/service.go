package main

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"github.com/quayside/quayside/deploy/devstack"
)

// service is the shipments-svc that is measured, as a process.
type service struct {
	url  string // of its public listener
	cmd  *exec.Cmd
	log  *os.File
	done chan struct{} // closed when it has ended
}

// program is a built shipments-svc and what it is to be started with.
type program struct {
	binary string
	dir    string
	env    []string
	public string
	inner  string
}

// build compiles the service of this tree, and brings the database's schema to
// its version.
func build(ctx context.Context, s settings, dir, dsn string) (program, error) {
	bin, err := devstack.Build(ctx, s.root, s.race)
	if err != nil {
		return program{}, err
	}
	p := program{binary: filepath.Join(bin, "shipments-svc"), dir: dir}
	if p.public, p.inner, err = freeAddresses(ctx); err != nil {
		return p, err
	}
	key := make([]byte, 32)
	_, _ = rand.Read(key)
	p.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "DATABASE_URL=" + dsn,
		"LISTEN_ADDRESS=" + p.public, "INNER_ADDRESS=" + p.inner, "DOCUMENTS_DIR=" + filepath.Join(dir, "documents"),
		"WEBHOOK_KEYS=1:" + base64.StdEncoding.EncodeToString(key),
		"QUAYSIDE_DEMO=true", // accepts identity headers without an assertion
	}
	migrate := exec.CommandContext(ctx, p.binary, "migrate", "up") //nolint:gosec // G204: what was built above
	migrate.Env = p.env
	if out, err := migrate.CombinedOutput(); err != nil {
		return p, fmt.Errorf("migrate: %w:\n%s", err, out)
	}
	return p, nil
}

// start starts the service and waits until it is ready.
func (p program) start(ctx context.Context) (*service, error) {
	s := &service{url: "http://" + p.public, done: make(chan struct{})}
	var err error
	if s.log, err = os.Create(filepath.Join(p.dir, "shipments-svc.log")); err != nil {
		return nil, err
	}
	s.cmd = exec.Command(p.binary, "serve") //nolint:gosec,noctx // G204: our own; ended by stop
	s.cmd.Env, s.cmd.Stdout, s.cmd.Stderr = p.env, s.log, s.log
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // Ctrl-C is for us, who stop it then
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // how it ended is in its log
		close(s.done)
	}()
	if err := s.await(ctx, "http://"+p.inner+"/readyz"); err != nil {
		text, _ := os.ReadFile(s.log.Name())
		return nil, errors.Join(fmt.Errorf("%w:\n%s", err, text), s.stop())
	}
	return s, nil
}

const startTimeout = 30 * time.Second

func (s *service) await(ctx context.Context, url string) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return every(ctx, 20*time.Millisecond, func() (bool, error) {
		select {
		case <-s.done:
			return false, errors.New("shipments-svc ended while starting")
		default:
		}
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return false, err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return false, nil //nolint:nilerr // it does not listen yet
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK, nil
	})
}

// stop ends it.
func (s *service) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.done:
	case <-time.After(startTimeout):
		_ = s.cmd.Process.Kill()
		<-s.done
	}
	return s.log.Close()
}

// every asks at an interval until the answer is yes, an error, or ctx ends.
func every(ctx context.Context, interval time.Duration, ask func() (bool, error)) error {
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// freeAddresses returns two addresses on which nobody listens.
func freeAddresses(ctx context.Context) (a, b string, err error) {
	for _, address := range []*string{&a, &b} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return "", "", err
		}
		*address = listener.Addr().String()
		defer func() { _ = listener.Close() }()
	}
	return a, b, nil
}
