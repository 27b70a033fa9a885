package main

import (
	"fmt"
	"time"

	"github.com/prometheus/procfs"

	"github.com/quayside/quayside/deploy/bench/kernel"
)

// usage is CPU time by program.
type usage map[string]time.Duration

// clockTick is the unit of /proc/PID/stat, USER_HZ, which is 100 on every
// Linux that Go supports.
const clockTick = 10 * time.Millisecond

// cpuOf returns the CPU time that the descendants of a process have used, by
// program. The time of a descendant's own children counts when they have ended,
// so that workers which come and go are in it.
func cpuOf(root int) (usage, error) {
	processes, err := kernel.Descendants(root)
	if err != nil {
		return nil, err
	}
	used := usage{}
	for _, p := range processes {
		own, err := kernel.CPUTime(p.PID)
		if err != nil {
			continue // it has ended since
		}
		used[p.Comm] += own + time.Duration(p.CUTime+p.CSTime)*clockTick
	}
	return used, nil
}

// find returns a descendant of a process by the name of its program.
func find(root int, name string) (procfs.Proc, error) {
	processes, err := kernel.Descendants(root)
	if err != nil {
		return procfs.Proc{}, err
	}
	for _, p := range processes {
		if p.Comm == name {
			return procfs.NewProc(p.PID)
		}
	}
	return procfs.Proc{}, fmt.Errorf("no %s is running", name)
}

// since returns what was used between two readings.
func (u usage) since(before usage) usage {
	diff := usage{}
	for name, used := range u {
		diff[name] = used - before[name]
	}
	return diff
}

func (u usage) total() (sum time.Duration) {
	for _, used := range u {
		sum += used
	}
	return sum
}
