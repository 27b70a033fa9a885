package devstack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"

	"github.com/redis/go-redis/v9"
)

// startRedis starts redis-server, and installs it where it can.
func startRedis(ctx context.Context, address, logDir string, log io.Writer) (*Process, string, error) {
	if err := install(ctx, log, "redis-server"); err != nil {
		return nil, "", errors.Join(err, errors.New("no Redis: on Debian sudo apt-get install redis-server, "+
			"on macOS brew install redis, or set REDIS_URL"))
	}
	host, port, _ := net.SplitHostPort(address)
	//nolint:gosec,noctx // G204: our own arguments; it outlives the start and is stopped by Stop
	p, err := startProcess("redis", logDir, exec.Command("redis-server",
		"--bind", host, "--port", port, "--save", "", "--appendonly", "no"))
	if err != nil {
		return nil, "", err
	}
	_, _ = fmt.Fprintf(log, "redis     at %s\n", address)
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	return p, "redis://" + address + "/0", p.Await(ctx, func() error { return client.Ping(ctx).Err() })
}
