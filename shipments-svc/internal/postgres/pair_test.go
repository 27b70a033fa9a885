package postgres

import (
	"context"
	"net"
	"os"
	osexec "os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// newPair starts a Postgres and a hot standby with streaming replication, both
// for one test, and returns their DSNs. Without Postgres's programs on this
// machine the test is skipped; it fails if CI is set.
func newPair(tb testing.TB) (primary, standby string) {
	tb.Helper()
	bin := binaries(tb)
	dir, err := os.MkdirTemp("", "quayside-pair-")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = os.RemoveAll(dir) })
	c := cluster{tb: tb, bin: bin, credential: credential(tb)}
	if c.credential != nil {
		if err := os.Chown(dir, int(c.credential.Uid), int(c.credential.Gid)); err != nil {
			tb.Fatal(err)
		}
	}
	first, second := filepath.Join(dir, "primary"), filepath.Join(dir, "standby")
	c.run("initdb", "-D", first, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync")
	at := c.start(first)
	c.run("pg_basebackup", "-h", at.host, "-p", at.port, "-U", "postgres", "-D", second, "-R", "--checkpoint=fast", "--no-sync")
	return at.dsn(), c.start(second).dsn()
}

// cluster runs Postgres's programs as somebody who is not root.
type cluster struct {
	tb         testing.TB
	bin        string
	credential *syscall.Credential
}

type address struct{ host, port string }

func (a address) dsn() string {
	return "postgres://postgres@" + net.JoinHostPort(a.host, a.port) + "/postgres?sslmode=disable"
}

func (c cluster) command(ctx context.Context, program string, args ...string) *osexec.Cmd {
	cmd := osexec.CommandContext(ctx, filepath.Join(c.bin, program), args...)
	cmd.Dir = "/"
	if c.credential != nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: c.credential}
	}
	return cmd
}

func (c cluster) run(program string, args ...string) {
	c.tb.Helper()
	if out, err := c.command(c.tb.Context(), program, args...).CombinedOutput(); err != nil {
		c.tb.Fatalf("%s: %v\n%s", program, err, out)
	}
}

// start runs the cluster in a directory on a free port until the test ends.
func (c cluster) start(dir string) address {
	c.tb.Helper()
	l, err := new(net.ListenConfig).Listen(c.tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		c.tb.Fatal(err)
	}
	host, port, _ := net.SplitHostPort(l.Addr().String())
	_ = l.Close()
	server := c.command(context.WithoutCancel(c.tb.Context()), "postgres", "-D", dir, "-h", host, "-p", port, "-k", "", "-c", "fsync=off")
	if err := server.Start(); err != nil {
		c.tb.Fatal(err)
	}
	c.tb.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGQUIT)
		_ = server.Wait()
	})
	wait, cancel := context.WithTimeout(c.tb.Context(), time.Minute)
	defer cancel()
	for c.command(wait, "pg_isready", "-q", "-h", host, "-p", port).Run() != nil {
		if wait.Err() != nil {
			c.tb.Fatalf("%s does not start", dir)
		}
	}
	return address{host, port}
}

func binaries(tb testing.TB) string {
	tb.Helper()
	if path, err := osexec.LookPath("initdb"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil {
			return filepath.Dir(path)
		}
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err == nil && len(found) > 0 {
		return found[len(found)-1]
	}
	if os.Getenv("CI") != "" {
		tb.Fatal("there is no initdb")
	}
	tb.Skip("there is no initdb on this machine")
	return ""
}

// credential is that of the user postgres where the test runs as root, which
// Postgres refuses to be.
func credential(tb testing.TB) *syscall.Credential {
	tb.Helper()
	if os.Geteuid() != 0 {
		return nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		tb.Fatal(err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		tb.Fatal(err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		tb.Fatal(err)
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}
