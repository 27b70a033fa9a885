package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"
)

// startRedis starts redis-server or, if that is not installed, an in-process
// substitute, which is slower. name is that of its log.
func startRedis(ctx context.Context, name, address, logDir string, log io.Writer) (stopper, string, error) {
	url := "redis://" + address + "/0"
	binary, err := exec.LookPath("redis-server")
	if err != nil {
		_, _ = fmt.Fprintln(log, "redis     in-process (miniredis); install redis-server for the real one")
		mini := miniredis.NewMiniRedis()
		return closer(mini.Close), url, mini.StartAddr(address)
	}
	host, port, _ := net.SplitHostPort(address)
	//nolint:gosec,noctx // G204: found on PATH; it outlives the start and is stopped by Stop
	p, err := StartProcess(name, logDir, exec.Command(binary,
		"--bind", host, "--port", port, "--save", "", "--appendonly", "no"))
	if err != nil {
		return nil, "", err
	}
	_, _ = fmt.Fprintf(log, "redis     %s at %s\n", binary, address)
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	return p, url, p.Await(ctx, func() error { return client.Ping(ctx).Err() })
}

// closer adapts a function to stopper.
type closer func()

func (c closer) Stop() error { c(); return nil }
