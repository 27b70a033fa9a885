package main

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisDirect is Redis without a proxy.
func (r *topology) redisDirect() (*redis.Client, error) {
	options, err := redis.ParseURL(r.stack.RedisURL)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

// redisDo runs commands on it.
func (r *topology) redisDo(run func(*redis.Client) error) error {
	client, err := r.redisDirect()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return run(client)
}

// redisReadOnly is a failover: Redis becomes a read-only replica.
func redisReadOnly(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	follow := func(ctx context.Context, host, port string) error {
		return r.redisDo(func(c *redis.Client) error { return c.Do(ctx, "REPLICAOF", host, port).Err() })
	}
	return func(ctx context.Context) error { return follow(ctx, "NO", "ONE") }, follow(ctx, "127.0.0.1", "1")
}

// redisRestarted stops Redis; it restarts empty.
func redisRestarted(_ context.Context, r *topology, _ *observation) (recovery, error) {
	return r.stack.StartRedis, r.stack.StopRedis()
}

// windowKeys returns the keys of the token that most requests use.
func (r *topology) windowKeys(ctx context.Context, c *redis.Client) (keys []string, err error) {
	id := r.tokens.reader[len("shpt_live_"):][:12]
	found := c.Scan(ctx, 0, "*"+id+"*", 1000).Iterator()
	for found.Next(ctx) {
		keys = append(keys, found.Val())
	}
	return keys, found.Err()
}

// redisWrongType replaces the counter of a window by a list.
func redisWrongType(ctx context.Context, r *topology, _ *observation) (recovery, error) {
	return nothing, r.redisDo(func(c *redis.Client) error {
		keys, err := r.windowKeys(ctx, c)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return errors.New("no key in Redis belongs to the token in use")
		}
		_, err = c.TxPipelined(ctx, func(p redis.Pipeliner) error {
			for _, key := range keys {
				p.Del(ctx, key)
				p.RPush(ctx, key, "not a window")
				p.Expire(ctx, key, 2*time.Minute)
			}
			return nil
		})
		return err
	})
}

// redisCleaned removes the wrong keys after the observation of whether the
// gateway repairs them.
func redisCleaned(_ context.Context, r *topology) (recovery, error) {
	return func(ctx context.Context) error {
		return r.redisDo(func(c *redis.Client) error {
			keys, err := r.windowKeys(ctx, c)
			if err != nil || len(keys) == 0 {
				return err
			}
			return c.Del(ctx, keys...).Err()
		})
	}, nil
}
