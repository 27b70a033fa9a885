package timerslack

import (
	"os"
	"runtime"
	"syscall"
)

// The options of prctl(2).
const (
	prSetTimerSlack = 29
	prGetTimerSlack = 30
)

// Relax sets the slack and executes the program again: threads inherit the slack
// when they begin, so it cannot be set for those that already run. A program
// that has the slack goes on. So does one for which this fails: it works the
// same, and uses more CPU time. Call Relax before anything else in main.
func Relax() {
	runtime.LockOSThread() // whose slack it is
	defer runtime.UnlockOSThread()
	if current() >= uintptr(slack) {
		return
	}
	_, _, errno := syscall.RawSyscall(syscall.SYS_PRCTL, prSetTimerSlack, uintptr(slack), 0)
	if errno != 0 || current() < uintptr(slack) { // a real-time thread has none
		return
	}
	if path, err := os.Executable(); err == nil {
		_ = syscall.Exec(path, os.Args, os.Environ()) //nolint:gosec // G204: this program
	}
}

// current returns the slack of this thread in nanoseconds.
func current() uintptr {
	ns, _, _ := syscall.RawSyscall(syscall.SYS_PRCTL, prGetTimerSlack, 0, 0)
	return ns
}
