package devstack

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
)

func TestAPortInUseIsAnErrorWithItsRemedy(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	port := l.Addr().(*net.TCPAddr).Port
	_, err = choosePorts(t.Context(), port)
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)) ||
		!strings.Contains(err.Error(), "QUAYSIDE_PORT") {
		t.Errorf("got %v", err)
	}
}

// No address is chosen twice, even if no program listens there yet.
func TestPortsAreDistinctAmongConcurrentStacks(t *testing.T) {
	t.Parallel()
	const stacks = 50
	chosen := make([]ports, stacks)
	var all sync.WaitGroup
	for i := range chosen {
		all.Go(func() {
			var err error
			if chosen[i], err = choosePorts(t.Context(), 0); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	seen := map[string]bool{}
	for _, p := range chosen {
		for _, address := range []string{
			p.gateway, p.gatewayInner, p.shipments, p.shipmentsInner, p.tokens, p.tokensInner,
			p.postgres, p.redis, p.tokensGateways,
		} {
			if address == "" || seen[address] {
				t.Errorf("%q is empty or chosen twice", address)
			}
			seen[address] = true
		}
	}
}

func TestAProcessThatEndsWhileStartingShowsItsLog(t *testing.T) {
	t.Parallel()
	p, err := startProcess("broken", t.TempDir(), exec.Command("sh", "-c", "echo no such table >&2; exit 1"))
	if err != nil {
		t.Fatal(err)
	}
	err = p.Await(t.Context(), func() error { return errors.New("not yet") })
	if err == nil || !strings.Contains(err.Error(), "no such table") {
		t.Errorf("got %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopping what has ended: %v", err)
	}
}

func TestExecGivesRealServersAndLeavesNothing(t *testing.T) {
	t.Parallel()
	out := filepath.Join(t.TempDir(), "out")
	err := Exec(t.Context(), io.Discard, io.Discard,
		"sh", "-c", `echo "$TEST_DATABASE_URL $TEST_REDIS_URL" >`+out+`; exit 7`)
	exit, ok := errors.AsType[*CommandError](err)
	if !ok || exit.ExitCode() != 7 {
		t.Fatalf("got %v, want the command's own status", err)
	}
	urls, err := os.ReadFile(out)
	if err != nil || !strings.HasPrefix(string(urls), "postgres://") || !strings.Contains(string(urls), " redis://") {
		t.Fatalf("environment %q (%v)", urls, err)
	}
	database, _, _ := strings.Cut(string(urls), " ")
	if err := ping(context.WithoutCancel(t.Context()), database); err == nil {
		t.Error("Postgres still answers")
	}
}

// Neither make clean nor a second make run touches the data of a running stack. It runs before the parallel tests: a
// process that these start has every open file, and so the lock, for a moment.
func TestAStateDirectoryIsOfOneStack(t *testing.T) {
	dir := t.TempDir()
	running, err := lockState(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := Clean(dir); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("make clean: %v", err)
	}
	if _, err := Start(t.Context(), Options{Dir: dir}); err == nil || !strings.Contains(err.Error(), "stop it first") {
		t.Errorf("make run: %v", err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Error(err)
	}
	if err := running.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Clean(dir); err != nil {
		t.Error(err)
	}
	if err := Clean(dir); err != nil {
		t.Errorf("again: %v", err)
	}
}
