//go:build !linux

package reader

import (
	"runtime/debug"
	"syscall"
	"time"
)

// confine limits memory and processor time, for development. Memory is limited by
// Go's runtime only.
func confine(cpu time.Duration) error {
	debug.SetMemoryLimit(maxMemory)
	return syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: uint64(cpu.Seconds()), Max: uint64(cpu.Seconds())})
}

// group makes a child the leader of a process group.
func group() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
