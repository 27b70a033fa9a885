//go:build linux

package main

import (
	"os"
	"time"

	"github.com/prometheus/procfs"
)

// cpuOf returns the CPU time that a process and its descendants have used. That of a child that has ended
// is in its parent's, so that workers which come and go count; that of the load, which is this process, does not count.
// The kernel reports it in steps of 10 ms.
func cpuOf(root int) (used time.Duration, err error) {
	const clockTick = 10 * time.Millisecond // USER_HZ is 100 on every Linux that Go supports
	processes, err := procfs.AllProcs()
	if err != nil {
		return 0, err
	}
	all := map[int]procfs.ProcStat{}
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil { // else it has ended
			all[p.PID] = stat
		}
	}
	for _, p := range all {
		if p.PID != os.Getpid() && descends(p, root, all) {
			used += time.Duration(int(p.UTime+p.STime)+p.CUTime+p.CSTime) * clockTick
		}
	}
	return used, nil
}

// descends reports whether a process is root, or was started by it or by its descendants.
func descends(p procfs.ProcStat, root int, all map[int]procfs.ProcStat) bool {
	for ; p.PID != 0; p = all[p.PPID] {
		if p.PID == root {
			return true
		}
	}
	return false
}
