package ratelimit

import (
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"github.com/quayside/quayside/gateway/internal/outage"
)

// largeSkew is the clock skew beyond which a warning is logged.
const largeSkew = time.Second

// stateLog logs changes of the limiter's state: one line for each change.
type stateLog struct {
	logger atomic.Pointer[zap.Logger]
	outage *outage.Tracker
	skewed atomic.Bool
}

func newStateLog() *stateLog {
	j := new(stateLog)
	j.outage = outage.New("rate limiter", j.log)
	return j
}

func (j *stateLog) log() *zap.Logger {
	if logger := j.logger.Load(); logger != nil {
		return logger
	}
	return zap.NewNop()
}

func (j *stateLog) clockSkewed(ahead time.Duration) {
	clockSkewSeconds.Set(ahead.Seconds())
	switch large := ahead.Abs() > largeSkew; {
	case large == j.skewed.Load() || !j.skewed.CompareAndSwap(!large, large):
	case large:
		j.log().Warn("clock skew: Redis's clock and this machine's differ; windows follow Redis's", zap.Duration("ahead", ahead))
	default:
		j.log().Info("clock skew is over", zap.Duration("ahead", ahead))
	}
}
