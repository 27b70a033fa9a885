package devstack

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// startTimeout bounds the start of any one process.
const startTimeout = 60 * time.Second

// stopTimeout is how long a process may take to exit before it is killed.
const stopTimeout = 15 * time.Second

// tailSize is how much of a failed process's log is shown.
const tailSize = 2 << 10

// Process is a child whose output goes to a file.
type Process struct {
	name    string
	cmd     *exec.Cmd
	logPath string
	quit    os.Signal
	done    chan struct{} // closed when it has ended
	once    sync.Once
	err     error // of Stop
}

// startProcess starts cmd with its output appended to logDir/NAME.log. It
// puts the child into a process group of its own, so that Ctrl-C in a terminal
// reaches this program alone, which then stops its children in order.
func startProcess(name, logDir string, cmd *exec.Cmd) (*Process, error) {
	p := &Process{
		name: name, cmd: cmd, logPath: filepath.Join(logDir, name+".log"), quit: syscall.SIGTERM,
		done: make(chan struct{}),
	}
	log, err := os.OpenFile(p.logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = log.Close() }()
	cmd.Stdout, cmd.Stderr = log, log
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go func() {
		_ = cmd.Wait() // its log has the reason
		close(p.done)
	}()
	return p, nil
}

// Stop sends the process its quit signal, waits, and kills it after a timeout. It
// may be called more than once, and before the process was started.
func (p *Process) Stop() error {
	if p == nil {
		return nil
	}
	p.once.Do(func() {
		if p.Ended() {
			return
		}
		_ = p.cmd.Process.Signal(p.quit) // it may have exited just now
		select {
		case <-p.done:
		case <-time.After(stopTimeout):
			_ = p.cmd.Process.Kill()
			<-p.done
			p.err = fmt.Errorf("%s did not end within %s and was killed", p.name, stopTimeout)
		}
	})
	return p.err
}

// Kill sends SIGKILL and waits.
func (p *Process) Kill() error {
	err := p.cmd.Process.Kill()
	<-p.done
	return err
}

// Signal sends the process a signal.
func (p *Process) Signal(signal os.Signal) error { return p.cmd.Process.Signal(signal) }

// PID is the id of the process.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Ended reports whether the process has exited.
func (p *Process) Ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// Await waits until ready returns nil; it fails when the process ends first.
func (p *Process) Await(ctx context.Context, ready func() error) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.done:
			return fmt.Errorf("%s ended while starting:\n%s", p.name, p.LogTail())
		case <-ctx.Done():
			return fmt.Errorf("%s is not ready: %w:\n%s", p.name, err, p.LogTail())
		case <-tick.C:
		}
	}
}

// LogTail is the end of the log.
func (p *Process) LogTail() []byte {
	log, err := os.ReadFile(p.logPath)
	if err != nil {
		return []byte(err.Error())
	}
	if len(log) > tailSize {
		log = log[len(log)-tailSize:]
		log = log[bytes.IndexByte(log, '\n')+1:]
	}
	return log
}
