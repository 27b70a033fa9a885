package devstack

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// lock opens a file in a directory for one holder at a time, until it is closed
// or its program ends. If another holds it, the error wraps syscall.EWOULDBLOCK,
// unless wait is set.
func lock(dir string, wait bool) (*os.File, error) {
	//nolint:gosec // G304: our own file
	file, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	if err := syscall.Flock(int(file.Fd()), how); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock %s: %w", file.Name(), err)
	}
	return file, nil
}

// lockState locks a state directory for a stack, or for its removal.
func lockState(dir string) (*os.File, error) {
	held, err := lock(dir, false)
	if err != nil {
		return nil, fmt.Errorf("a stack runs in %s: stop it first, with Ctrl-C where make run was started: %w", dir, err)
	}
	return held, nil
}
