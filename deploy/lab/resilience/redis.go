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
	testbed *testbed
	url     string                                // as the gateway takes it
	primary func(context.Context) (string, error) // the address of a primary
	servers map[string]*devstack.Process          // by address
	buses   map[string]string                     // ports of the cluster bus, by address
	args    []string
}

// startRedis starts servers with further arguments. Their buses have free ports:
// Redis's default is often in use.
func startRedis(ctx context.Context, b *testbed, addresses []string, args ...string) (*redises, error) {
	r := &redises{testbed: b, servers: map[string]*devstack.Process{}, buses: map[string]string{}, args: args}
	buses, err := devstack.FreeAddresses(ctx, len(addresses))
	if err != nil {
		return r, err
	}
	for i, address := range addresses {
		r.buses[address] = port(buses[i])
		if err := r.start(address); err != nil {
			return r, err
		}
	}
	for _, address := range addresses {
		if err := r.servers[address].Await(ctx, func() error { return dialRedis(address).Ping(ctx).Err() }); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (r *redises) start(address string) (err error) {
	host, port, _ := net.SplitHostPort(address)
	args := []string{"--bind", host, "--port", port, "--save", "", "--appendonly", "no", "--dir", r.testbed.dir}
	args = append(args, r.args...)
	for i, arg := range args {
		args[i] = strings.NewReplacer("PORT", port, "BUS", r.buses[address]).Replace(arg)
	}
	r.servers[address], err = r.testbed.spawn("redis-"+port, devstack.Owner{}, nil, "redis-server", args...)
	return err
}

func dialRedis(address string) *redis.Client { return redis.NewClient(&redis.Options{Addr: address}) }

// startSentinels starts a primary, a replica and three Sentinels.
func startSentinels(ctx context.Context, b *testbed) (r *redises, err error) {
	free, err := devstack.FreeAddresses(ctx, 5)
	if err != nil {
		return nil, err
	}
	servers, sentinels := free[:2], free[2:]
	if r, err = startRedis(ctx, b, servers); err != nil {
		return r, err
	}
	host, first, _ := net.SplitHostPort(servers[0])
	if err := dialRedis(servers[1]).ReplicaOf(ctx, host, first).Err(); err != nil {
		return r, err
	}
	for _, address := range sentinels {
		name := "sentinel-" + port(address)
		config := filepath.Join(b.dir, name+".conf")
		text := fmt.Sprintf("port %s\nbind %s\nsentinel monitor quayside %[2]s %s 2\n"+
			"sentinel down-after-milliseconds quayside 1000\nsentinel failover-timeout quayside 3000\n",
			port(address), host, first)
		if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
			return r, err
		}
		if _, err := b.spawn(name, devstack.Owner{}, nil, "redis-sentinel", config); err != nil {
			return r, err
		}
	}
	sentinel := redis.NewSentinelClient(&redis.Options{Addr: sentinels[0]})
	r.url = fmt.Sprintf("redis://%s/0?master_name=quayside&addr=%s&addr=%s", sentinels[0], sentinels[1], sentinels[2])
	r.primary = func(ctx context.Context) (string, error) {
		at, err := sentinel.GetMasterAddrByName(ctx, "quayside").Result()
		if err != nil {
			return "", err
		}
		return net.JoinHostPort(at[0], at[1]), nil
	}
	return r, eventually(ctx, "sentinels", time.Minute, func() error {
		state, err := sentinel.Master(ctx, "quayside").Result()
		if err == nil && (state["num-slaves"] != "1" || state["num-other-sentinels"] != "2") {
			err = fmt.Errorf("%s replicas, %s other sentinels", state["num-slaves"], state["num-other-sentinels"])
		}
		return err
	})
}

// startCluster starts three primaries with a replica each.
func startCluster(ctx context.Context, b *testbed) (r *redises, err error) {
	addresses, err := devstack.FreeAddresses(ctx, 6)
	if err != nil {
		return nil, err
	}
	r, err = startRedis(ctx, b, addresses, "--cluster-enabled", "yes", "--cluster-config-file", "nodes-PORT.conf",
		"--cluster-node-timeout", "1500", "--cluster-port", "BUS")
	if err != nil {
		return r, err
	}
	create := append([]string{"--cluster", "create", "--cluster-replicas", "1", "--cluster-yes"}, addresses...)
	out, err := exec.CommandContext(ctx, "redis-cli", create...).CombinedOutput()
	if err != nil {
		return r, fmt.Errorf("redis-cli: %w:\n%s", err, out)
	}
	r.url = "redis://" + addresses[0] + "?addr=" + strings.Join(addresses[1:], "&addr=")
	r.primary = r.clusterPrimary
	return r, eventually(ctx, "the cluster", time.Minute, func() error {
		for _, address := range addresses {
			info, err := dialRedis(address).ClusterInfo(ctx).Result()
			if err != nil || !strings.Contains(info, "cluster_state:ok") || !strings.Contains(info, "cluster_known_nodes:6") {
				return errors.Join(err, errors.New(info))
			}
		}
		return nil
	})
}

// clusterPrimary returns one that answers and has slots.
func (r *redises) clusterPrimary(ctx context.Context) (string, error) {
	for address := range r.servers {
		if role, err := dialRedis(address).Do(ctx, "ROLE").Slice(); err == nil && role[0] == "master" {
			return address, nil
		}
	}
	return "", errors.New("there is no primary")
}
