// Package kernel reads from Linux the CPU time and peak memory of other processes,
// and provides precise ticks.
//
// On other systems everything returns an error.
package kernel

import "github.com/prometheus/procfs"

// PeakMemory returns the peak resident memory of a process, in bytes.
func PeakMemory(pid int) (int64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	status, err := p.NewStatus()
	return int64(status.VmHWM), err //nolint:gosec // G115: not that much
}

// Descendants returns the processes that a process started, directly or not.
func Descendants(root int) (found []procfs.ProcStat, err error) {
	processes, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	all := map[int]procfs.ProcStat{}
	for _, p := range processes {
		if stat, err := p.Stat(); err == nil { // else it has ended
			all[p.PID] = stat
		}
	}
	for _, p := range all {
		for up := p; up.PPID != 0; up = all[up.PPID] {
			if up.PPID == root {
				found = append(found, p)
				break
			}
		}
	}
	return found, nil
}
