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
	"syscall"
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
	if err == nil || !strings.Contains(err.Error(), strconv.Itoa(port)) || !strings.Contains(err.Error(), "QUAYSIDE_PORT") {
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
		for _, address := range []string{p.gateway, p.gatewayInner, p.shipments, p.shipmentsInner, p.tokens, p.tokensInner, p.postgres, p.redis} {
			if address == "" || seen[address] {
				t.Errorf("%q is empty or chosen twice", address)
			}
			seen[address] = true
		}
	}
}

// The reservation is visible to other processes: it is a socket.
func TestAChosenAddressIsReserved(t *testing.T) {
	t.Parallel()
	address, err := freeAddress(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if socket, err := new(net.ListenConfig).ListenPacket(t.Context(), "udp", address); err == nil {
		_ = socket.Close()
		t.Errorf("%s is not reserved", address)
	}
}

func TestSecretsAreKeptWithMode0600(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := loadSecrets(dir)
	if err != nil {
		t.Fatal(err)
	}
	second, err := loadSecrets(dir)
	if err != nil || first != second {
		t.Errorf("%+v, then %+v (%v)", first, second, err)
	}
	info, err := os.Stat(first.peppersFile)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the peppers' file has mode %v (%v)", info.Mode(), err)
	}
}

func TestAProcessThatEndsWhileStartingShowsItsLog(t *testing.T) {
	t.Parallel()
	p, err := StartProcess("broken", t.TempDir(), exec.Command("sh", "-c", "echo no such table >&2; exit 1"))
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
	err := Exec(t.Context(), io.Discard, "sh", "-c", `echo "$TEST_DATABASE_URL $TEST_REDIS_URL" >`+out+`; exit 7`)
	exit, ok := errors.AsType[*exec.ExitError](err)
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

// A checkout that is removed takes the password of its data with it.
func TestDataOfARemovedCheckoutIsNotUsedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "postgres")
	self := Owner{credential: &syscall.Credential{Uid: uint32(os.Getuid()), Gid: uint32(os.Getgid())}}
	for _, want := range []bool{false, true, false} { // of the file of the run before
		real, err := self.place(dir)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(filepath.Dir(real)) })
		file := filepath.Join(real, "PG_VERSION")
		if _, err := os.Stat(file); (err == nil) != want {
			t.Errorf("the data are there: %v, want %v", err == nil, want)
		}
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if want {
			_ = os.Remove(dir)
		}
	}
}

// Neither make clean nor a second make run touches the data of a running stack.
func TestAStateDirectoryIsOfOneStack(t *testing.T) {
	t.Parallel()
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

func TestCleanRemovesTheDataThatALinkLeadsTo(t *testing.T) {
	t.Parallel()
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "quayside-x")
	if err := os.MkdirAll(filepath.Join(elsewhere, "postgres"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(elsewhere, "postgres"), filepath.Join(dir, "postgres")); err != nil {
		t.Fatal(err)
	}
	if err := Clean(dir); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{dir, elsewhere} {
		if _, err := os.Stat(gone); err == nil {
			t.Errorf("%s is still there", gone)
		}
	}
}
