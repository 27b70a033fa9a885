package chaos

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

// aside is put behind the name of a log whose place a pipe has taken.
const aside = ".aside"

// logPipe stands where a program's log was. It copies what the program writes
// to the log, until it is blocked.
type logPipe struct {
	pipe   *os.File
	log    *os.File
	copied chan struct{}
	gate   sync.Mutex // held while blocked
}

// logPiped restarts a program with a pipe as its log, and back when it is over.
func logPiped(name string) func(context.Context, *rig) (heal, error) {
	return func(ctx context.Context, r *rig) (heal, error) {
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
	// Both ends: so opening does not wait for the program, and its end is not the pipe's.
	if p.pipe, err = os.OpenFile(path, os.O_RDWR, 0); err != nil { //nolint:gosec // G304: our own file
		return nil, err
	}
	go func() {
		defer close(p.copied)
		_, _ = io.Copy(p.log, p) // until the pipe is closed
	}()
	return p, nil
}

// Read lets the log through while it is not blocked.
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

// logBlocked leaves the prepared pipe unread, and full: the program's next line
// does not go in.
func logBlocked(_ context.Context, r *rig, _ *observation) (heal, error) {
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
