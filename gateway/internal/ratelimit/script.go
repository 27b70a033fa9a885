package ratelimit

import (
	"context"
	"errors"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// errQueued says that a command is in a pipeline that was not executed yet.
var errQueued = errors.New("queued")

// queued is the reply that redis_rate receives for such a command.
var queued = redis.NewCmdResult(nil, errQueued)

// script is one call of redis_rate's script in a pipeline. redis_rate expects the reply at once, so each call runs
// twice: the first run queues the command and ends with [errQueued]; the second, after the pipeline was executed,
// finds the reply.
type script struct {
	redis.UniversalClient // the rest of redis_rate's interface; never called

	expireAt time.Time

	pipe   redis.Pipeliner
	key    string
	bySHA  *redis.Cmd
	byText *redis.Cmd
}

// run advances as far as the replies allow: to the result, to an error, or to [errQueued] when it has added a command
// to pipe. cost is the number of units to take; 0 only reads what is left.
func (s *script) run(ctx context.Context, pipe redis.Pipeliner, key string, limit redis_rate.Limit, cost int,
) (*redis_rate.Result, error) {
	s.pipe = pipe
	counter := redis_rate.NewLimiter(s)
	if cost == 0 {
		return counter.AllowN(ctx, key, limit, 0)
	}
	return counter.AllowAtMost(ctx, key, limit, cost)
}

// EvalSha implements redis_rate's interface; redis_rate calls it first.
func (s *script) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if s.bySHA == nil {
		s.key = keys[0]
		s.bySHA = s.queue(ctx, "evalsha", sha, args)
		return queued
	}
	return s.bySHA
}

// Eval implements redis_rate's interface; redis_rate calls it when Redis does not have the script, so that EVALSHA
// counted nothing.
func (s *script) Eval(ctx context.Context, text string, _ []string, args ...any) *redis.Cmd {
	if s.byText == nil {
		s.byText = s.queue(ctx, "eval", text, args)
		return queued
	}
	return s.byText
}

// queue adds a call of the script to the pipeline, and an expiry after it. The script's own expiry is the time in which
// the bucket refills, which for an exact counter is limit times too long.
func (s *script) queue(ctx context.Context, name, script string, args []any) *redis.Cmd {
	cmd := redis.NewCmd(ctx, append([]any{name, script, 1, s.key}, args...)...)
	_ = s.pipe.Process(ctx, sentOnce{cmd}) // queues, and cannot fail
	s.pipe.PExpireAt(ctx, s.key, s.expireAt)
	return cmd
}

// sentOnce is a command that go-redis does not send again after an error: a cluster's pipelines otherwise repeat what
// follows a broken connection or a timeout. Redirections are followed.
type sentOnce struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (sentOnce) NoRetry() bool { return true }
