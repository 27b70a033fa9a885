package kernel

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// CPUTime returns the CPU time that a process has used so far, in user and
// kernel mode, by all its threads. /proc/PID/stat has the same in steps of 10 ms,
// which is too coarse.
func CPUTime(pid int) (time.Duration, error) {
	const processClock = 2 // CPUCLOCK_SCHED, of the process and not of one thread
	var used unix.Timespec
	// The number of a process's clock is what clock_getcpuclockid(3) computes.
	clock := int32(^pid<<3 | processClock) //nolint:gosec // G115: process ids end at 2^22
	if err := unix.ClockGettime(clock, &used); err != nil {
		return 0, fmt.Errorf("CPU time of process %d: %w", pid, err)
	}
	return time.Duration(used.Nano()), nil
}

// Ticks come at a fixed interval, without the rounding to milliseconds that idle
// Go timers have.
type Ticks struct{ timer *os.File }

// NewTicks starts a clock whose first tick is one interval from now.
func NewTicks(interval time.Duration) (*Ticks, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	every := unix.NsecToTimespec(interval.Nanoseconds())
	err = unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil)
	return &Ticks{os.NewFile(uintptr(fd), "timerfd")}, err
}

// Wait blocks until the next tick and returns the number of ticks since the last
// Wait.
func (t *Ticks) Wait() (int, error) {
	var count [8]byte
	if _, err := io.ReadFull(t.timer, count[:]); err != nil {
		return 0, err
	}
	return int(binary.NativeEndian.Uint64(count[:])), nil //nolint:gosec // G115: not that many
}

// Stop ends the ticks.
func (t *Ticks) Stop() { _ = t.timer.Close() }
