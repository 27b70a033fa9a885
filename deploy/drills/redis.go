package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// redises are Redis servers of one kind: a primary with Sentinels, or a cluster.
type redises struct {
	url     string                                // as the gateway takes it
	primary func(context.Context) (string, error) // the address of a primary that may be lost
	servers map[string]*devstack.Process          // by address
	buses   map[string]string                     // ports of the cluster bus, by address
	dir     string
	args    []string
}

// startRedis starts n servers with further arguments.
func startRedis(ctx context.Context, dir string, n int, args ...string) (r *redises, addresses []string, err error) {
	r = &redises{servers: map[string]*devstack.Process{}, buses: map[string]string{}, dir: dir, args: args}
	free, err := devstack.FreeAddresses(ctx, 2*n)
	if err != nil {
		return r, nil, err
	}
	addresses = free[:n]
	for i, address := range addresses {
		r.buses[address] = port(free[n+i])
		if err := r.start(address); err != nil {
			return r, nil, err
		}
	}
	for _, address := range addresses {
		if err := r.servers[address].Await(ctx, func() error { return client(address).Ping(ctx).Err() }); err != nil {
			return r, nil, err
		}
	}
	return r, addresses, nil
}

func (r *redises) start(address string) (err error) {
	host, port, _ := net.SplitHostPort(address)
	args := append([]string{"--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", r.dir}, r.args...)
	for i, arg := range args {
		args[i] = strings.NewReplacer("PORT", port, "BUS", r.buses[address]).Replace(arg)
	}
	r.servers[address], err = spawn(r.dir, "redis-"+port, devstack.Owner{}, nil, "redis-server", args...)
	return err
}

func client(address string) *redis.Client { return redis.NewClient(&redis.Options{Addr: address}) }

// startSentinel starts a primary, a replica and three Sentinels.
func startSentinel(ctx context.Context, dir string) (r *redises, err error) {
	r, servers, err := startRedis(ctx, dir, 2)
	if err != nil {
		return r, err
	}
	host, first, _ := net.SplitHostPort(servers[0])
	if err := client(servers[1]).ReplicaOf(ctx, host, first).Err(); err != nil {
		return r, err
	}
	addresses, err := devstack.FreeAddresses(ctx, 3)
	if err != nil {
		return r, err
	}
	for _, address := range addresses {
		name := "sentinel-" + port(address)
		config := filepath.Join(dir, name+".conf")
		text := fmt.Sprintf("port %s\nbind %s\nsentinel monitor quayside %[2]s %s 2\n"+
			"sentinel down-after-milliseconds quayside 1000\nsentinel failover-timeout quayside 3000\n", port(address), host, first)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return r, err
		}
		if r.servers[address], err = spawn(dir, name, devstack.Owner{}, nil, "redis-sentinel", config); err != nil {
			return r, err
		}
	}
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: addresses[0]})
	r.url = "redis://" + addresses[0] + "/0?master_name=quayside&addr=" + addresses[1] + "&addr=" + addresses[2]
	r.primary = func(ctx context.Context) (string, error) {
		at, err := sentinel.GetMasterAddrByName(ctx, "quayside").Result()
		if err != nil {
			return "", err
		}
		return net.JoinHostPort(at[0], at[1]), nil
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
	r, addresses, err := startRedis(ctx, dir, 6, "--cluster-enabled", "yes", "--cluster-port", "BUS", "--cluster-config-file", "nodes-PORT.conf", "--cluster-node-timeout", "1500")
	if err != nil {
		return r, err
	}
	create := append([]string{"--cluster", "create", "--cluster-replicas", "1", "--cluster-yes"}, addresses...)
	if out, err := exec.CommandContext(ctx, "redis-cli", create...).CombinedOutput(); err != nil { //nolint:gosec // G204: our own arguments
		return r, fmt.Errorf("redis-cli: %w:\n%s", err, out)
	}
	r.url = "redis://" + addresses[0] + "?addr=" + strings.Join(addresses[1:], "&addr=")
	r.primary = func(context.Context) (string, error) { return addresses[0], nil }
	return r, waitUntil(ctx, "the cluster", time.Minute, func() error {
		for _, address := range addresses {
			info, err := client(address).ClusterInfo(ctx).Result()
			if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:6") {
				return errors.Join(err, errors.New(info))
			}
		}
		return nil
	})
}

// lose kills the primary. Restored, it is a replica.
func (r *redises) lose(ctx context.Context) (restore func() error, err error) {
	address, err := r.primary(ctx)
	if err != nil {
		return nil, err
	}
	return func() error { return r.start(address) }, r.servers[address].Kill()
}

func (r *redises) stop() (err error) {
	if r == nil {
		return nil
	}
	for _, p := range r.servers {
		err = errors.Join(err, p.Stop())
	}
	return err
}
