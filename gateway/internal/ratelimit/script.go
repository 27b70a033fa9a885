package ratelimit

import (
	"context"
	"errors"
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

// allowAtMost is the script of redis_rate's AllowAtMost, which waits for the reply to each call. Pipelines need the
// script itself, so it is what AllowAtMost sends to a Redis that does not have it.
var allowAtMost = func() string {
	var sent recorder
	_, _ = redis_rate.NewLimiter(&sent).AllowAtMost(context.Background(), "", redis_rate.Limit{}, 0)
	return sent.text
}()

// allowAtMostHash is the name of the script in Redis.
var allowAtMostHash = redis.NewScript(allowAtMost).Hash()

// recorder keeps the text of a script, and does not run it.
type recorder struct {
	redis.UniversalClient // the rest of redis_rate's interface; never called

	text string
}

// EvalSha implements redis_rate's interface.
func (*recorder) EvalSha(context.Context, string, []string, ...any) *redis.Cmd {
	return redis.NewCmdResult(nil, missing{})
}

// Eval implements redis_rate's interface.
func (r *recorder) Eval(_ context.Context, text string, _ []string, _ ...any) *redis.Cmd {
	r.text = text
	return redis.NewCmdResult(nil, errors.New("not run"))
}

// noScript begins the error of a Redis that does not have a script, so that EVALSHA counted nothing.
const noScript = "NOSCRIPT"

// missing is that error.
type missing struct{}

func (missing) Error() string { return noScript }
func (missing) RedisError()   {}

// send adds the call to a pipeline, by the script's text if Redis does not have it.
func (c *call) send(ctx context.Context, pipe redis.Pipeliner) {
	name, script := "evalsha", allowAtMostHash
	if c.needsText() {
		name, script = "eval", allowAtMost
	}
	key, limit := redisPrefix+c.key(c.end), c.limit()
	c.reply = redis.NewCmd(ctx, name, script, 1, key, limit.Burst, limit.Rate, limit.Period.Seconds(), c.requests)
	_ = pipe.Process(ctx, sentOnce{c.reply}) // queues, and cannot fail
	// The script's own expiry is the time in which the bucket refills, limit times too long for a counter.
	pipe.PExpireAt(ctx, key, c.end.Add(keyGrace))
}

func (c *call) needsText() bool {
	return c.reply != nil && redis.HasErrorPrefix(c.reply.Err(), noScript)
}

// read reads the reply: how many requests are allowed, and how many are left.
func (c *call) read() {
	values, err := c.reply.Slice()
	if c.err = err; err == nil {
		c.granted, c.remaining = int(values[0].(int64)), max(int(values[1].(int64)), 0)
	}
}

// sentOnce is a command that go-redis does not send again after an error: a cluster's pipelines otherwise repeat what
// follows a broken connection or a timeout. Redirections are followed.
type sentOnce struct{ *redis.Cmd }

// NoRetry implements redis.Cmder.
func (sentOnce) NoRetry() bool { return true }
