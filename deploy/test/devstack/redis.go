package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
)

// startRedis starts redis-server, which it installs where it can and may, or else the embedded Redis. It returns what
// stops it.
func startRedis(
	ctx context.Context, address, logDir string, mayInstall bool, log io.Writer,
) (stop func() error, url string, err error) {
	url, err = "redis://"+address+"/0", errCannotInstall
	if mayInstall || isInstalled("redis-server") {
		err = install(ctx, log, "redis-server")
	}
	if errors.Is(err, errCannotInstall) {
		stop, err = embedRedis(address)
		return stop, url, err
	}
	if err != nil {
		return nil, "", err
	}
	host, port, _ := net.SplitHostPort(address)
	//nolint:gosec,noctx // G204: our own arguments; it outlives the start and is stopped by Stop
	p, err := startProcess("redis", logDir, exec.Command("redis-server",
		"--bind", host, "--port", port, "--save", "", "--appendonly", "no"))
	if err != nil {
		return nil, "", err
	}
	_, _ = fmt.Fprintf(log, "redis     at %s\n", address)
	return p.Stop, url, p.Await(ctx, func() error { return pingRedis(ctx, address) })
}

// pingRedis needs no client, which takes longer to compile than all of this program.
func pingRedis(ctx context.Context, address string) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "*1\r\n$4\r\nPING\r\n"); err != nil {
		return err
	}
	const pong = "+PONG\r\n"
	answer := make([]byte, len(pong))
	if _, err := io.ReadFull(conn, answer); err != nil {
		return err
	}
	if string(answer) != pong {
		return fmt.Errorf("PING: %q", answer)
	}
	return nil
}
