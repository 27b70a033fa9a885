// Package outage logs a failure that many requests meet as two lines: one when it begins and one when it is over.
package outage

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/caddyserver/caddy/v2"
	"go.uber.org/zap"
)

// StableTime is how long nothing may have failed before an outage is over. Intermittent failures are one outage.
const StableTime = 3 * time.Second

// Tracker tracks the outages of one thing. It is safe for concurrent use. Create it with [New].
type Tracker struct {
	name   string
	logger func() *zap.Logger
	down   atomic.Bool

	mu       sync.Mutex
	since    time.Time
	last     time.Time // time of the last failure
	failures int
	recovery *time.Timer // runs since the first success after a failure; nil: none yet
}

// Log returns the gate's logger in the present configuration; trackers outlive theirs.
func Log() *zap.Logger { return caddy.Log().Named("http.handlers.token_gate") }

// New returns a Tracker of the thing with that name. logger returns the logger to use, see [Log].
func New(name string, logger func() *zap.Logger) *Tracker {
	return &Tracker{name: name, logger: logger}
}

// Record records a failure, or with nil a success, which without an outage costs one atomic load.
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

// endIfStable ends the outage unless something failed within StableTime.
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
