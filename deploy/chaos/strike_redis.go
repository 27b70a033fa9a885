package chaos

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// redisDirect is Redis with nothing between.
func (r *rig) redisDirect() (*redis.Client, error) {
	options, err := redis.ParseURL(r.stack.RedisURL)
	if err != nil {
		return nil, err
	}
	return redis.NewClient(options), nil
}

// redisDo runs a few commands on it.
func (r *rig) redisDo(run func(*redis.Client) error) error {
	client, err := r.redisDirect()
	if err != nil {
		return err
	}
	defer func() { _ = client.Close() }()
	return run(client)
}

// redisReadOnly makes Redis what it is in the middle of a fail-over: a replica
// that refuses to write.
func redisReadOnly(ctx context.Context, r *rig, _ *observation) (heal, error) {
	follow := func(ctx context.Context, host, port string) error {
		return r.redisDo(func(c *redis.Client) error { return c.Do(ctx, "REPLICAOF", host, port).Err() })
	}
	return func(ctx context.Context) error { return follow(ctx, "NO", "ONE") }, follow(ctx, "127.0.0.1", "1")
}

// redisRestarted ends Redis; it comes back with nothing in it.
func redisRestarted(_ context.Context, r *rig, _ *observation) (heal, error) {
	return r.stack.StartRedis, r.stack.StopRedis()
}

// windowKeys finds what the gateway keeps in Redis about the token that most
// requests are made with.
func (r *rig) windowKeys(ctx context.Context, c *redis.Client) (keys []string, err error) {
	id := r.cast.reader[len("shpt_live_"):][:12]
	found := c.Scan(ctx, 0, "*"+id+"*", 1000).Iterator()
	for found.Next(ctx) {
		keys = append(keys, found.Val())
	}
	return keys, found.Err()
}

// redisWrongType puts a list where a window is counted.
func redisWrongType(ctx context.Context, r *rig, _ *observation) (heal, error) {
	return nothing, r.redisDo(func(c *redis.Client) error {
		keys, err := r.windowKeys(ctx, c)
		if err != nil {
			return err
		}
		if len(keys) == 0 {
			return errors.New("no key in Redis is about the token in use")
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

// redisCleaned takes the wrong keys away when all has been seen: whether they
// are repaired without that is the question.
func redisCleaned(_ context.Context, r *rig) (heal, error) {
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
