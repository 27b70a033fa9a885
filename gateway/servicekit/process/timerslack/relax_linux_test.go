package timerslack

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

const childVariable = "TIMERSLACK_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) == "" {
		os.Exit(m.Run())
	}
	Relax()
	threads, _ := os.ReadDir("/proc/self/task")
	for _, thread := range threads {
		ns, _ := os.ReadFile("/proc/" + thread.Name() + "/timerslack_ns")
		_, _ = os.Stdout.Write(ns)
	}
	_, _ = os.Stdout.WriteString(strings.Join(os.Args[1:], " "))
}

func TestEveryThreadGetsTheSlackAndTheProgramKeepsItsArguments(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("root is needed: Linux shows others the slack of their own thread only")
	}
	cmd := exec.Command("/proc/self/exe", "serve", "-x")
	cmd.Env = append(os.Environ(), childVariable+"=1")
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(out), "\n")
	last := len(lines) - 1
	if last < 2 { // the runtime's monitor is always there
		t.Errorf("%d threads reported their slack", last)
	}
	for _, line := range lines[:last] {
		if line != "1000000" {
			t.Errorf("a thread has a slack of %s ns", line)
		}
	}
	if lines[last] != "serve -x" {
		t.Errorf("arguments became %q", lines[last])
	}
}
