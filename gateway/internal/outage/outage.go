// Package outage makes two log lines of a failure that many requests meet: one when it begins and one when
// it is over. What it costs single requests is in the access log, and in the metrics.
package outage

import (
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
)

// Settled is for how long nothing may have failed since it worked for an outage to be over. Where some
// things work and others do not, or what fails comes and goes, that is one outage.
const StableTime = 3 * time.Second

// Journal tells of the outages of one thing. It is safe for concurrent use; make it with [New].
type Tracker struct {
	name   string
	logger func() *zap.Logger
	down   atomic.Bool

	mu       sync.Mutex
	since    time.Time
	last     time.Time // the last failure
	failures int
	recovery *time.Timer // since it worked; nil: it has not since the last failure
}

// New returns a journal about what, which works until [Journal.Note] says otherwise. logger returns the one
// to write to, which a reload may replace.
func New(name string, logger func() *zap.Logger) *Tracker {
	return &Tracker{name: name, logger: logger}
}

// Note notes that the thing has failed, or with nil that it has worked, which costs next to nothing while
// there is no outage.
func (j *Tracker) Record(err error) {
	if err == nil && !j.down.Load() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		if j.down.Load() && j.recovery == nil {
			j.recovery = time.AfterFunc(StableTime, j.endIfStable)
		}
		return
	}
	j.last = time.Now()
	if !j.down.Swap(true) {
		j.since, j.failures = j.last, 0
		j.logger().Error(j.name+" fails", zap.Error(err))
	}
	j.failures++
	if j.recovery != nil {
		j.recovery.Stop()
		j.recovery = nil
	}
}

// Down reports whether there is an outage.
func (j *Tracker) Down() bool { return j.down.Load() }

// settle ends the outage, unless something has failed since that was planned.
func (j *Tracker) endIfStable() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.recovery == nil || time.Since(j.last) < StableTime {
		return
	}
	j.recovery = nil
	j.down.Store(false)
	j.logger().Info(j.name+" works again", zap.Int("failures", j.failures), zap.Duration("lasted", j.last.Sub(j.since)))
}
