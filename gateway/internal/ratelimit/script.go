package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// errQueued says that a command is in a pipeline that was not executed yet, and queued is the reply that redis_rate
// receives for it.
var (
	errQueued = errors.New("queued")
	queued    = redis.NewCmdResult(nil, errQueued)
)

// script is one call of redis_rate's script in a pipeline. redis_rate expects the reply at once, so each call runs
// twice: the first run queues the command and ends with [errQueued]; the second, after the pipeline was executed,
// finds the reply.
type script struct {
	redis.UniversalClient // the rest of redis_rate's interface; never called

	pipe     redis.Pipeliner // to which the next command is added
	expireAt time.Time

	key           string
	bySHA, byText *redis.Cmd
}

// EvalSha implements redis_rate's interface; redis_rate calls it first.
func (s *script) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	s.key = keys[0]
	return s.queue(ctx, &s.bySHA, "evalsha", sha, args)
}

// Eval implements redis_rate's interface; redis_rate calls it when Redis does not have the script, so that EVALSHA
// counted nothing.
func (s *script) Eval(ctx context.Context, text string, _ []string, args ...any) *redis.Cmd {
	return s.queue(ctx, &s.byText, "eval", text, args)
}

// queue returns a call of the script, which it adds to the pipeline the first time, and an expiry after it. The
// script's own expiry is the time in which the bucket refills, which for an exact counter is limit times too long.
func (s *script) queue(ctx context.Context, cmd **redis.Cmd, name, script string, args []any) *redis.Cmd {
	if *cmd != nil {
		return *cmd
	}
	*cmd = redis.NewCmd(ctx, append([]any{name, script, 1, s.key}, args...)...)
	_ = s.pipe.Process(ctx, sentOnce{*cmd}) // queues, and cannot fail
	s.pipe.PExpireAt(ctx, s.key, s.expireAt)
	return queued
}

// advance counts the requests of a call as far as the replies allow: to its result or error, or to errQueued when it
// has added a command to the pipeline.
func (c *call) advance(ctx context.Context, pipe redis.Pipeliner) {
	c.script.pipe = pipe
	counted, err := redis_rate.NewLimiter(&c.script).AllowAtMost(ctx, c.key,
		Quota{Limit: c.limit, Window: c.length}.limit(), c.requests)
	if c.err = err; err == nil {
		c.granted, c.remaining = counted.Allowed, max(counted.Remaining, 0)
	}
}

// sentOnce is a command that go-redis does not send again after an error: a cluster's pipelines otherwise repeat what
// follows a broken connection or a timeout. Redirections are followed.
type sentOnce struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (sentOnce) NoRetry() bool { return true }
