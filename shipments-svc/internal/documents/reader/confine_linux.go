package reader

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"syscall"
	"time"
)

// confine drops the privileges of this process: it keeps its open files and can
// open neither files nor connections. Its memory is limited, and it is killed after
// the given processor time. Before that it gets ready, which may open files and takes
// from the memory.
func confine(cpu time.Duration, ready func() error) error {
	used, err := dataUsed()
	if err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	debug.SetMemoryLimit(maxMemory * 3 / 4) // collects garbage before the limit is reached
	debug.SetGCPercent(400)                 // seldom before that: it is short-lived
	for _, l := range []struct {
		what  int
		limit uint64
	}{
		{syscall.RLIMIT_DATA, used + maxMemory},
		{syscall.RLIMIT_CPU, uint64(cpu.Seconds())},
		{syscall.RLIMIT_CORE, 0},
		{syscall.RLIMIT_FSIZE, 0},
		{syscall.RLIMIT_NOFILE, 0},
	} {
		if err := syscall.Setrlimit(l.what, &syscall.Rlimit{Cur: l.limit, Max: l.limit}); err != nil {
			return fmt.Errorf("limit %d: %w", l.what, err)
		}
	}
	return nil
}

// dataUsed returns the bytes that count towards RLIMIT_DATA, which include what Go's
// runtime reserves at its start.
func dataUsed() (uint64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if fields := bytes.Fields(lines.Bytes()); len(fields) == 3 && string(fields[0]) == "VmData:" {
			kilobytes, err := strconv.ParseUint(string(fields[1]), 10, 44)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/self/status has no VmData")
}

// childAttributes make a child the leader of a process group that ends with its parent.
var childAttributes = syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
