package ratelimit

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// errQueued says that a command waits in a pipeline that has not been sent yet.
var errQueued = errors.New("queued")

// queued is what redis_rate is given for such a command.
var queued = redis.NewCmdResult(nil, errQueued)

// script is one call of redis_rate's script in a pipeline. redis_rate wants the answer where it makes the
// call, so it makes each call twice: the first time the command is queued and the call ends with
// [errQueued]; the second time, after the pipeline was carried out, the command is there with its answer.
type script struct {
	*redis.Client // has what redis_rate's interface asks for besides, and never calls

	expireAt time.Time

	pipe     redis.Pipeliner
	key      string
	bySHA    *redis.Cmd
	byText   *redis.Cmd
	repaired bool
}

// run goes as far as it can without a new answer: to the result, to what Redis or the network has against
// it, or to [errQueued] when it has put into pipe what it needs. cost is how many units are asked for; 0
// only asks what is left.
func (s *script) run(ctx context.Context, pipe redis.Pipeliner, key string, limit redis_rate.Limit, cost int) (*redis_rate.Result, error) {
	s.pipe = pipe
	counter := redis_rate.NewLimiter(s)
	call := counter.AllowAtMost
	if cost == 0 {
		call = counter.AllowN
	}
	result, err := call(ctx, key, limit, cost)
	if err != nil && !s.repaired && isCorrupt(err) {
		s.repaired = true
		s.bySHA, s.byText = nil, nil
		pipe.Eval(ctx, repair, []string{s.key})
		return call(ctx, key, limit, cost)
	}
	return result, err
}

// EvalSha implements what redis_rate calls first.
func (s *script) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	if s.bySHA == nil {
		s.key = keys[0]
		s.bySHA = s.withExpiry(ctx, s.pipe.EvalSha(ctx, sha, keys, args...))
		return queued
	}
	return s.bySHA
}

// Eval implements what redis_rate calls when Redis does not know the script yet, which then failed before
// it counted anything.
func (s *script) Eval(ctx context.Context, text string, keys []string, args ...any) *redis.Cmd {
	if s.byText == nil {
		s.byText = s.withExpiry(ctx, s.pipe.Eval(ctx, text, keys, args...))
		return queued
	}
	return s.byText
}

// expiring queues, behind counted, when its key is to be forgotten. By itself the script lets a key live
// as long as the bucket would need to fill, which for an exact counter is limit times too long.
func (s *script) withExpiry(ctx context.Context, cmd *redis.Cmd) *redis.Cmd {
	s.pipe.PExpireAt(ctx, s.key, s.expireAt)
	return cmd
}

// repair removes a key that holds anything but a number. It looks again because another gateway may have
// removed it already and begun to count.
const repair = `
local kind = redis.call('TYPE', KEYS[1]).ok
if kind ~= 'string' or not tonumber(redis.call('GET', KEYS[1])) then
  redis.call('DEL', KEYS[1])
end`

// isForeign reports whether the script failed because its key holds what redis_rate has not written.
func isCorrupt(err error) bool {
	return strings.Contains(err.Error(), "WRONGTYPE") || strings.Contains(err.Error(), "number expected")
}
