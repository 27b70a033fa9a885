// Package reader reads documents in a process of their own.
//
// Files come from anywhere, and what reads PDF and XLSX is large. So this
// program starts itself again, as a child that has the file, a pipe for its
// answer and nothing else: no environment, no other file, no network, little
// memory and little time. Guarantees: whatever a file does to the child, the
// parent gets a reading that keeps its bounds, or an error that says what
// happened; the child and all it may have started is gone when Read returns, or
// when the parent is killed.
package reader

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// Command is the argument with which the program is a child; the type of the
// document and the kind of its file are the next.
const Command = "read-document"

// Limits of a child.
const (
	maxTime   = 30 * time.Second
	maxCPU    = 10 * time.Second // of processor time, in whole seconds
	maxMemory = 256 << 20        // bytes, beyond what the program has when it starts
	maxAnswer = 32 << 20         // bytes
	maxStderr = 8 << 10          // bytes
)

// Failures that are not in the file's words but in its effect.
const (
	TooSlow       = "too_slow"
	TooMuchMemory = "too_much_memory"
	Crashed       = "unreadable"
)

// Reader implements shipments.Reader.
type Reader struct {
	program string // that is started
	name    string // by which it is called
	time    time.Duration
	cpu     time.Duration
	slots   chan struct{}
}

// New returns a Reader that has at most so many children at once, each of them
// this program again.
func New(children int) (*Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	return &Reader{program: program, name: "shipments-svc", time: maxTime, cpu: maxCPU, slots: make(chan struct{}, children)}, nil
}

// result is what a child writes to its standard output: one of the two.
type result struct {
	Reading *shipments.Reading
	Failure *shipments.Failure
}

// Read implements shipments.Reader.
func (r *Reader) Read(ctx context.Context, paper shipments.DocumentType, kind shipments.Kind, content io.ReaderAt, size int64) (shipments.Reading, error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return shipments.Reading{}, ctx.Err()
	}
	file, err := onDisk(content, size)
	if err != nil {
		return shipments.Reading{}, fmt.Errorf("read document: %w", err)
	}
	if file != content {
		defer func() { _ = file.Close() }()
	}
	limited, cancel := context.WithTimeout(ctx, r.time)
	defer cancel()
	var out, trouble bounded
	out.limit, trouble.limit = maxAnswer, maxStderr
	used, err := r.run(limited, file, []string{string(paper), string(kind)}, &out, &trouble)
	switch {
	case ctx.Err() != nil:
		return shipments.Reading{}, ctx.Err()
	case limited.Err() != nil:
		return unreadable(TooSlow, "Reading the file took longer than %s.", r.time)
	case err != nil && used >= r.cpu/cpuShare:
		return unreadable(TooSlow, "Reading the file took more than %s of processor time.", r.cpu)
	case err != nil && trouble.has("out of memory", "cannot allocate memory", "failed to allocate"):
		return unreadable(TooMuchMemory, "Reading the file took more than %d MiB of memory.", maxMemory>>20)
	case err != nil && errors.As(err, new(*exec.ExitError)):
		return unreadable(Crashed, "The file could not be read: something in it is not as its format wants it.")
	case err != nil: // it was never started
		return shipments.Reading{}, fmt.Errorf("read document: %w", err)
	}
	return decoded(out)
}

// cpuShare says what part of its limit of processor time a child has used at
// least when it was killed for that: the kernel counts the limit in ticks, and
// what it reports afterwards may be much less on a busy virtual machine.
const cpuShare = 2

// run runs a child until it ends or its context does, and returns how much
// processor time it used.
func (r *Reader) run(ctx context.Context, file *os.File, args []string, out, trouble io.Writer) (used time.Duration, err error) {
	cmd := exec.CommandContext(ctx, r.program) //nolint:gosec // G204: this program
	cmd.Args = append([]string{r.name, Command}, args...)
	cmd.Env = []string{} // nil would be the parent's
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, out, trouble
	cmd.SysProcAttr = group()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for whoever holds the pipes although the child is gone
	err = cmd.Run()
	if cmd.ProcessState != nil {
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return used, err
}

// decoded decodes the output of a child, which is not trusted.
func decoded(out bounded) (shipments.Reading, error) {
	var r result
	if err := json.Unmarshal(out.text, &r); err != nil || out.over || (r.Reading == nil) == (r.Failure == nil) {
		return unreadable(Crashed, "The file could not be read: the reader's output is invalid.")
	}
	if r.Failure != nil {
		return shipments.Reading{}, &shipments.UnreadableError{Failure: *r.Failure}
	}
	return *r.Reading, nil
}

func unreadable(code, format string, args ...any) (shipments.Reading, error) {
	return shipments.Reading{}, &shipments.UnreadableError{Failure: shipments.Failure{Code: code, Detail: fmt.Sprintf(format, args...)}}
}

// onDisk returns content as a file that a child can be given: itself, or a copy
// that has no name.
func onDisk(content io.ReaderAt, size int64) (*os.File, error) {
	if f, ok := content.(*os.File); ok {
		_, err := f.Seek(0, io.SeekStart)
		return f, err
	}
	f, err := os.CreateTemp("", "quayside-document-")
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(f, io.NewSectionReader(content, 0, size)); err != nil {
		return nil, errors.Join(err, f.Close(), os.Remove(f.Name()))
	}
	return f, os.Remove(f.Name())
}

// bounded keeps as much of what is written as it may.
type bounded struct {
	text  []byte
	limit int
	over  bool
}

func (b *bounded) Write(p []byte) (int, error) {
	room := b.limit - len(b.text)
	b.over = b.over || len(p) > room
	b.text = append(b.text, p[:min(len(p), room)]...)
	return len(p), nil
}

func (b *bounded) has(texts ...string) bool {
	for _, text := range texts {
		if bytes.Contains(b.text, []byte(text)) {
			return true
		}
	}
	return false
}

var _ shipments.Reader = (*Reader)(nil)
