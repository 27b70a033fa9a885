package ratelimit

import (
	"context"
	"errors"
	"iter"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// keyGrace is how long a key stays in Redis after its window, for gateways whose estimate of Redis's clock is a
// little behind.
const keyGrace = 5 * time.Second

// limit makes redis_rate's leaky bucket an exact counter. Each request costs one Period of a bucket that is Limit
// Periods deep and regains one request per Period. A key is used for one window and at most keyGrace, plus the skew
// between the gateways' estimates; Period is a minute longer than the window, so no request is regained while the key
// is in use. Whole seconds keep the script's floating-point sums exact.
func (w Window) limit() redis_rate.Limit {
	return redis_rate.Limit{Rate: 1, Burst: w.Limit, Period: w.Length + time.Minute}
}

// commands counts the requests of a call with redis_rate. Its script is one command, or two if Redis does not have it.
// Each must have been executed when the next one is asked for.
func (c *call) commands(ctx context.Context) iter.Seq[*redis.Cmd] {
	return func(execute func(*redis.Cmd) bool) {
		limiter := redis_rate.NewLimiter(script{execute: execute})
		counted, err := limiter.AllowAtMost(ctx, c.key(c.end), c.limit(), c.requests)
		if c.err = err; err == nil {
			c.granted, c.remaining = counted.Allowed, max(counted.Remaining, 0)
		}
	}
}

// script is the connection that redis_rate uses.
type script struct {
	redis.UniversalClient // the rest of redis_rate's interface; never called

	execute func(*redis.Cmd) bool
}

var errAbandoned = errors.New("the flush was abandoned")

// EvalSha implements redis_rate's interface; redis_rate calls it first.
func (s script) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return s.run(ctx, "evalsha", sha, keys, args)
}

// Eval implements redis_rate's interface; redis_rate calls it when Redis does not have the script, so that EVALSHA
// counted nothing.
func (s script) Eval(ctx context.Context, text string, keys []string, args ...any) *redis.Cmd {
	return s.run(ctx, "eval", text, keys, args)
}

func (s script) run(ctx context.Context, name, script string, keys []string, args []any) *redis.Cmd {
	cmd := redis.NewCmd(ctx, append([]any{name, script, 1, keys[0]}, args...)...)
	if !s.execute(cmd) {
		cmd.SetErr(errAbandoned)
	}
	return cmd
}

// sentOnce is a command that go-redis does not send again after an error: a cluster's pipelines otherwise repeat what
// follows a broken connection or a timeout. Redirections are followed.
type sentOnce struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (sentOnce) NoRetry() bool { return true }
