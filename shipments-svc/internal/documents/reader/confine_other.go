//go:build !linux

package reader

import (
	"runtime/debug"
	"syscall"
	"time"
)

// confine limits memory and processor time, for development. Memory is limited by
// Go's runtime only.
func confine(cpu time.Duration, ready func() error) error {
	if err := ready(); err != nil {
		return err
	}
	debug.SetMemoryLimit(maxMemory)
	seconds := uint64(cpu.Seconds())
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: seconds, Max: seconds})
}

// childAttributes make a child the leader of a process group.
var childAttributes = syscall.SysProcAttr{Setpgid: true}
