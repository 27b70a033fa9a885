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
	log    func() *zap.Logger
	outage *outage.Journal
	skewed atomic.Bool
}

func newStateLog(log func() *zap.Logger) *stateLog {
	return &stateLog{log: log, outage: outage.New("rate limiter", log)}
}

func (j *stateLog) clockSkewed(ahead time.Duration) {
	clockSkewSeconds.Set(ahead.Seconds())
	switch large := ahead.Abs() > largeSkew; {
	case large == j.skewed.Load() || !j.skewed.CompareAndSwap(!large, large):
	case large:
		j.log().Warn("clock skew: Redis's clock and this machine's differ; windows follow Redis's",
			zap.Duration("ahead", ahead))
	default:
		j.log().Info("clock skew is over", zap.Duration("ahead", ahead))
	}
}
