//go:build !linux

package reader

import (
	"runtime/debug"
	"syscall"
	"time"
)

// confine gives this process what limits of a child there are where only
// developers run it. What bounds memory is Go's own limit.
func confine(cpu time.Duration) error {
	debug.SetMemoryLimit(maxMemory)
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64(cpu.Seconds()), Max: uint64(cpu.Seconds())})
}

// group has a child lead a group of its own.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
