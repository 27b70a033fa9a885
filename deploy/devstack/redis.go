package devstack

import (
	"context"
	"fmt"
	"io"
	"net"
	"os/exec"
	"time"

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
	p, err := startProcess(name, logDir, exec.Command(binary,
		"--bind", host, "--port", port, "--save", "", "--appendonly", "no"))
	if err != nil {
		return nil, "", err
	}
	_, _ = fmt.Fprintf(log, "redis     %s at %s\n", binary, address)
	client := redis.NewClient(&redis.Options{Addr: address})
	defer func() { _ = client.Close() }()
	return p, url, p.await(ctx, name, func() error { return client.Ping(ctx).Err() })
}

// closer adapts a function to stopper.
type closer func()

func (c closer) Stop() error { c(); return nil }

// startTimeout bounds the start of any one process.
const startTimeout = 60 * time.Second

// await waits until ready returns nil; it fails when the process ends first.
func (p *process) await(ctx context.Context, name string, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended while starting:\n%s", name, p.tail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w:\n%s", name, err, p.tail())
		case <-tick.C:
		}
	}
}
