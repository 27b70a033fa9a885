// Package proc finds the processes that a process started, on Linux.
package proc

import "github.com/prometheus/procfs"

// Family returns a process and those that it started, directly or not.
func Family(root int) (found []procfs.ProcStat, err error) {
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
		for up := p; up.PID != 0; up = all[up.PPID] {
			if up.PID == root {
				found = append(found, p)
				break
			}
		}
	}
	return found, nil
}
