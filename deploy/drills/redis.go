package drills

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

// redises are Redis servers of one kind: a primary with Sentinels, or a cluster.
type redises struct {
	url     string                                // as the gateway takes it
	primary func(context.Context) (string, error) // the port of a primary that may be lost
	servers map[string]*process                   // by port
	buses   map[string]string                     // ports of the cluster bus, by port
	dir     string
	args    []string
}

// startRedis starts n servers with further arguments.
func startRedis(ctx context.Context, dir string, n int, args ...string) (r *redises, ports []string, err error) {
	r = &redises{servers: map[string]*process{}, buses: map[string]string{}, dir: dir, args: args}
	for range n {
		port, portErr := freePort(ctx)
		bus, busErr := freePort(ctx)
		if err := errors.Join(portErr, busErr); err != nil {
			return r, nil, err
		}
		r.buses[port] = bus
		if err := r.start(port); err != nil {
			return r, nil, err
		}
		ports = append(ports, port)
	}
	for _, port := range ports {
		if err := waitUntil(ctx, "redis", time.Minute, func() error { return client(port).Ping(ctx).Err() }); err != nil {
			return r, nil, err
		}
	}
	return r, ports, nil
}

func (r *redises) start(port string, more ...string) (err error) {
	args := append([]string{"--bind", "127.0.0.1", "--port", port, "--save", "", "--appendonly", "no", "--dir", r.dir}, r.args...)
	for i, arg := range args {
		args[i] = strings.NewReplacer("PORT", port, "BUS", r.buses[port]).Replace(arg)
	}
	r.servers[port], err = spawn(r.dir, "redis-"+port, nil, nil, "redis-server", append(args, more...)...)
	return err
}

func client(port string) *redis.Client {
	return redis.NewClient(&redis.Options{Addr: "127.0.0.1:" + port})
}

// startSentinel starts a primary, a replica and three Sentinels.
func startSentinel(ctx context.Context, dir string) (r *redises, err error) {
	r, ports, err := startRedis(ctx, dir, 2)
	if err != nil {
		return r, err
	}
	if err := client(ports[1]).ReplicaOf(ctx, "127.0.0.1", ports[0]).Err(); err != nil {
		return r, err
	}
	var addresses []string
	for range 3 {
		port, err := freePort(ctx)
		if err != nil {
			return r, err
		}
		config := filepath.Join(dir, "sentinel-"+port+".conf")
		text := fmt.Sprintf("port %s\nbind 127.0.0.1\nsentinel monitor quayside 127.0.0.1 %s 2\n"+
			"sentinel down-after-milliseconds quayside 1000\nsentinel failover-timeout quayside 3000\n", port, ports[0])
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return r, err
		}
		if r.servers[port], err = spawn(dir, "sentinel-"+port, nil, nil, "redis-sentinel", config); err != nil {
			return r, err
		}
		addresses = append(addresses, "127.0.0.1:"+port)
	}
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: addresses[0]})
	r.url = "redis://" + addresses[0] + "/0?master_name=quayside&addr=" + addresses[1] + "&addr=" + addresses[2]
	r.primary = func(ctx context.Context) (string, error) {
		at, err := sentinel.GetMasterAddrByName(ctx, "quayside").Result()
		if err != nil {
			return "", err
		}
		return at[1], nil
	}
	return r, waitUntil(ctx, "sentinels", time.Minute, func() error {
		state, err := sentinel.Master(ctx, "quayside").Result()
		if err == nil && (state["num-slaves"] != "1" || state["num-other-sentinels"] != "2") {
			err = fmt.Errorf("%s replicas, %s other sentinels", state["num-slaves"], state["num-other-sentinels"])
		}
		return err
	})
}

// startCluster starts three primaries with a replica each. Their buses have ports
// below the ephemeral range, in which Redis's default is often in use.
func startCluster(ctx context.Context, dir string) (r *redises, err error) {
	r, ports, err := startRedis(ctx, dir, 6, "--cluster-enabled", "yes", "--cluster-port", "BUS", "--cluster-config-file", "nodes-PORT.conf", "--cluster-node-timeout", "1500")
	if err != nil {
		return r, err
	}
	addresses := make([]string, len(ports))
	for i, port := range ports {
		addresses[i] = "127.0.0.1:" + port
	}
	create, err := spawn(dir, "redis-cli", nil, nil, "redis-cli", append([]string{"--cluster", "create", "--cluster-replicas", "1", "--cluster-yes"}, addresses...)...)
	if err != nil {
		return r, err
	}
	<-create.done
	r.url = "redis://" + addresses[0] + "?addr=" + strings.Join(addresses[1:], "&addr=")
	r.primary = func(context.Context) (string, error) { return ports[0], nil }
	return r, waitUntil(ctx, "the cluster", time.Minute, func() error {
		for _, port := range ports {
			info, err := client(port).ClusterInfo(ctx).Result()
			if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:6") {
				return errors.Join(err, errors.New(info))
			}
		}
		return nil
	})
}

// lose kills the primary. Restored, it is a replica.
func (r *redises) lose(ctx context.Context) (restore func() error, err error) {
	port, err := r.primary(ctx)
	if err != nil {
		return nil, err
	}
	signal([]int{r.servers[port].cmd.Process.Pid}, syscall.SIGKILL)
	<-r.servers[port].done
	return func() error { return r.start(port) }, nil
}

func (r *redises) stop() {
	if r == nil {
		return
	}
	for _, p := range r.servers {
		p.kill()
	}
}
