package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/bench/kernel"
)

// usage is CPU time by program.
type usage map[string]time.Duration

// clockTick is the unit of /proc/PID/stat, USER_HZ, which is 100 on every
// Linux that Go supports.
const clockTick = 10 * time.Millisecond

// cpuOf returns the CPU time that the descendants of a process have used, by
// program. What a descendant's own children used counts when they have ended,
// so that workers which come and go are in it.
func cpuOf(root int) (usage, error) {
	processes, err := descendants(root)
	if err != nil {
		return nil, err
	}
	used := usage{}
	for pid, p := range processes {
		own, err := kernel.CPUTime(pid)
		if err != nil {
			continue // it has ended since
		}
		used[p.name] += own + p.children
	}
	return used, nil
}

// find returns a descendant of a process by the name of its program.
func find(root int, name string) (int, error) {
	processes, err := descendants(root)
	if err != nil {
		return 0, err
	}
	for pid, p := range processes {
		if p.name == name {
			return pid, nil
		}
	}
	return 0, fmt.Errorf("no %s is running", name)
}

type process struct {
	name     string
	parent   int
	children time.Duration // CPU time of those that ended
}

// readProcess reads /proc/PID/stat (proc_pid_stat(5)).
func readProcess(pid int) (process, bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, false
	}
	open, end := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	fields := strings.Fields(string(text[end+1:])) // from field 3, the state
	const parent, childUser, childSystem = 4 - 3, 16 - 3, 17 - 3
	if open < 0 || len(fields) <= childSystem {
		return process{}, false
	}
	p := process{name: string(text[open+1 : end])}
	p.parent, _ = strconv.Atoi(fields[parent]) // the kernel's own numbers
	for _, field := range []int{childUser, childSystem} {
		ticks, _ := strconv.ParseInt(fields[field], 10, 64)
		p.children += time.Duration(ticks) * clockTick
	}
	return p, true
}

// descendants returns the processes that a process started, directly or not.
func descendants(root int) (map[int]process, error) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	all := map[int]process{}
	for _, entry := range entries {
		if pid, err := strconv.Atoi(entry.Name()); err == nil {
			if p, ok := readProcess(pid); ok {
				all[pid] = p
			}
		}
	}
	found := map[int]process{}
	for pid, p := range all {
		for up := p; up.parent != 0; up = all[up.parent] {
			if up.parent == root {
				found[pid] = p
				break
			}
		}
	}
	return found, nil
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
