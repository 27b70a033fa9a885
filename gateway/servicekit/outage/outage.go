// Package outage makes two log lines of a failure that many requests meet: one
// when it begins and one when it is over. What it costs single requests is in
// their own lines of the log, and in the metrics.
package outage

import (
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Settled is for how long nothing may have failed since it worked for an outage
// to be over. Where some things work and others do not, or what fails comes and
// goes, that is one outage.
const Settled = 3 * time.Second

// Journal tells of the outages of one thing. It is safe for concurrent use;
// make it with New.
type Journal struct {
	log  *slog.Logger
	what string
	down atomic.Bool

	mu       sync.Mutex
	began    time.Time
	last     time.Time // the last failure
	failures int
	recovery *time.Timer // since it worked; nil: it has not since the last failure
}

// New returns a journal about what, which works until Note says otherwise.
func New(log *slog.Logger, what string) *Journal { return &Journal{log: log, what: what} }

// Note notes that the thing has failed, or with nil that it has worked, which
// costs next to nothing while there is no outage.
func (j *Journal) Note(err error) {
	if err == nil && !j.down.Load() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if err == nil {
		if j.down.Load() && j.recovery == nil {
			j.recovery = time.AfterFunc(Settled, j.settle)
		}
		return
	}
	j.last = time.Now()
	if !j.down.Swap(true) {
		j.began, j.failures = j.last, 0
		j.log.Warn(j.what+" fails", "error", err.Error())
	}
	j.failures++
	if j.recovery != nil {
		j.recovery.Stop()
		j.recovery = nil
	}
}

// settle ends the outage, unless something has failed since that was planned.
func (j *Journal) settle() {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.recovery == nil || time.Since(j.last) < Settled {
		return
	}
	j.recovery = nil
	j.down.Store(false)
	j.log.Info(j.what+" works again", "failures", j.failures, "seconds", j.last.Sub(j.began).Seconds())
}
