package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"
)

// aside is the suffix of a log file that a pipe replaces.
const aside = ".aside"

// logPipe is a named pipe in place of a program's log. It copies to the log file
// until it is blocked.
type logPipe struct {
	pipe   *os.File
	log    *os.File
	copied chan struct{}
	gate   sync.Mutex // held while blocked
}

// pipeLog restarts a program with a pipe as its log, and undoes that afterwards.
func pipeLog(name string) func(context.Context, *topology) (recovery, error) {
	return func(ctx context.Context, r *topology) (recovery, error) {
		program := r.stack.Program(name)
		path := filepath.Join(r.stack.LogDir(), name+".log")
		if err := program.Stop(); err != nil {
			return nothing, err
		}
		p, err := openLogPipe(path)
		if err != nil {
			return nothing, err
		}
		r.pipe = p
		return func(ctx context.Context) error {
			stopErr := program.Stop()
			return errors.Join(stopErr, p.close(path), program.Start(ctx))
		}, program.Start(ctx)
	}
}

func openLogPipe(path string) (p *logPipe, err error) {
	if err := errors.Join(os.Rename(path, path+aside), syscall.Mkfifo(path, 0o600)); err != nil {
		return nil, err
	}
	p = &logPipe{copied: make(chan struct{})}
	if p.log, err = os.OpenFile(path+aside, os.O_APPEND|os.O_WRONLY, 0); err != nil { //nolint:gosec // G304: our own file
		return nil, err
	}
	// Both ends: opening does not wait for the program, and its exit does not close the pipe.
	if p.pipe, err = os.OpenFile(path, os.O_RDWR, 0); err != nil { //nolint:gosec // G304: our own file
		return nil, err
	}
	go func() {
		defer close(p.copied)
		_, _ = io.Copy(p.log, p) // until the pipe is closed
	}()
	return p, nil
}

// Read reads the pipe unless it is blocked.
func (p *logPipe) Read(b []byte) (int, error) {
	p.gate.Lock()
	defer p.gate.Unlock()
	return p.pipe.Read(b)
}

func (p *logPipe) close(path string) error {
	closed := p.pipe.Close()
	<-p.copied
	return errors.Join(closed, p.log.Close(), os.Remove(path), os.Rename(path+aside, path))
}

// logBlocked stops reading the prepared pipe and fills it, so that the program's
// next write blocks.
func logBlocked(_ context.Context, r *topology, _ *observation) (recovery, error) {
	r.pipe.gate.Lock()
	unblock := func(context.Context) error {
		r.pipe.gate.Unlock()
		return nil
	}
	if err := r.pipe.pipe.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		return unblock, err
	}
	blank := bytes.Repeat([]byte("\n"), 4<<10)
	for {
		if _, err := r.pipe.pipe.Write(blank); errors.Is(err, os.ErrDeadlineExceeded) {
			return unblock, nil
		} else if err != nil {
			return unblock, err
		}
	}
}
