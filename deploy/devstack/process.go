package devstack

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// stopTimeout is how long a process may take to exit before it is killed.
const stopTimeout = 15 * time.Second

// tailSize is how much of a failed process's log is shown.
const tailSize = 2 << 10

// process is a child whose output goes to a file.
type process struct {
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
func startProcess(name, logDir string, cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, logPath: filepath.Join(logDir, name+".log"), quit: syscall.SIGTERM, done: make(chan struct{})}
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
// may be called more than once.
func (p *process) Stop() error {
	p.once.Do(func() {
		select {
		case <-p.done:
			return
		default:
		}
		_ = p.cmd.Process.Signal(p.quit) // it may have exited just now
		select {
		case <-p.done:
		case <-time.After(stopTimeout):
			_ = p.cmd.Process.Kill()
			<-p.done
			p.err = fmt.Errorf("%s did not end within %s and was killed", filepath.Base(p.cmd.Path), stopTimeout)
		}
	})
	return p.err
}

// Kill sends SIGKILL and waits.
func (p *process) Kill() error {
	err := p.cmd.Process.Kill()
	<-p.done
	return err
}

// tail returns the end of the process's log.
func (p *process) tail() []byte {
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
