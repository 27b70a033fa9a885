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

// confine gives this process the limits of a child. It keeps what it has open
// and can open nothing more: neither a file nor a connection.
// It is killed when it has used that much processor time.
func confine(cpu time.Duration) error {
	used, err := dataUsed()
	if err != nil {
		return err
	}
	debug.SetMemoryLimit(maxMemory * 3 / 4) // tidies up before the limit is met
	debug.SetGCPercent(400)                 // and seldom before that: it ends in a moment
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

// dataUsed returns how many bytes RLIMIT_DATA counts at present. Go's runtime
// reserves some when it starts.
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

// group has a child lead a group of its own, and die with its parent.
func group() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
