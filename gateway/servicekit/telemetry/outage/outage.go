// Package outage logs a failure of a dependency that affects many requests with
// two lines: one when it begins and one when it is over.
package outage

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// StableTime is the time without a failure after which an outage is over. Failures
// that come and go are one outage.
const StableTime = 3 * time.Second

// Journal logs the outages of one dependency. It is safe for concurrent use.
type Journal struct {
	log  *slog.Logger
	name string
	down atomic.Bool

	mu       sync.Mutex
	began    time.Time
	last     time.Time // the last failure
	failures int
	recovery *time.Timer // since the first success after the last failure
}

// New returns a journal of a dependency, whose name begins the log messages.
func New(log *slog.Logger, name string) *Journal { return &Journal{log: log, name: name} }

// Name returns the name of the dependency.
func (j *Journal) Name() string { return j.name }

// Down reports whether there is an outage.
func (j *Journal) Down() bool { return j.down.Load() }

// Note records a failure or, with nil, a success, which costs one atomic load
// outside of an outage.
func (j *Journal) Note(err error) {
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
		j.began, j.failures = j.last, 0
		j.log.Warn(j.name+" fails", "error", err.Error())
	}
	j.failures++
	if j.recovery != nil {
		j.recovery.Stop()
		j.recovery = nil
	}
}

// endIfStable ends the outage unless something failed within StableTime.
func (j *Journal) endIfStable() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.recovery == nil || time.Since(j.last) < StableTime {
		return
	}
	j.recovery = nil
	j.down.Store(false)
	j.log.Info(j.name+" works again", "failures", j.failures, "seconds", j.last.Sub(j.began).Seconds())
}
