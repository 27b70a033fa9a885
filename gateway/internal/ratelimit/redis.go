package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/maintnotifications"
)

// NewClient returns a client for the Redis at url (redis://, rediss:// or unix://), set so that a dead or
// hung Redis is found out in a fraction of a second instead of go-redis's 1.7 to 5. It does not connect.
// The error never quotes url, which may hold a password.
func NewClient(url string) (*redis.Client, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, errors.New("not a redis:// URL")
	}
	// Without this a context's deadline is ignored on the socket.
	options.ContextTimeoutEnabled = true
	options.DialTimeout = 100 * time.Millisecond
	options.ReadTimeout = 50 * time.Millisecond
	options.WriteTimeout = 50 * time.Millisecond
	options.PoolTimeout = 50 * time.Millisecond
	// A repeated script counts twice, and a repeated dial waits twice.
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.PoolSize = 64
	// Connecting needs one exchange less without these, and neither is of use here.
	options.DisableIdentity = true
	options.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(options), nil
}

// expiringScripter runs redis_rate's script and, in the same round trip, sets when its key is to be
// forgotten. By itself the script lets a key live as long as the bucket would need to fill, which for an
// exact counter is limit times too long.
type expiringScripter struct {
	*redis.Client

	at time.Time
}

// EvalSha implements what redis_rate calls first.
func (s expiringScripter) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return s.run(ctx, keys[0], func(pipe redis.Pipeliner) *redis.Cmd { return pipe.EvalSha(ctx, sha, keys, args...) })
}

// Eval implements what redis_rate calls when Redis does not know the script yet, which then failed before
// it counted anything.
func (s expiringScripter) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return s.run(ctx, keys[0], func(pipe redis.Pipeliner) *redis.Cmd { return pipe.Eval(ctx, script, keys, args...) })
}

func (s expiringScripter) run(ctx context.Context, key string, queue func(redis.Pipeliner) *redis.Cmd) *redis.Cmd {
	pipe := s.Pipeline()
	counted := queue(pipe)
	pipe.PExpireAt(ctx, key, s.at)
	// The script's own error is in its command, and that is the one that redis_rate must see.
	if _, err := pipe.Exec(ctx); err != nil && counted.Err() == nil {
		counted.SetErr(err)
	}
	return counted
}
