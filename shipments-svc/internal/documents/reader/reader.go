// Package reader reads documents in a separate process.
//
// Files are untrusted, and the libraries for PDF and XLSX are large. So the program
// starts itself as a child process that has the file and a pipe for its output, and
// no environment, other file or network; its memory and time are limited.
// Guarantees: for any file the parent gets a reading within the limits, or an error
// that names the cause; the child and its descendants have ended when Read returns,
// and end when the parent is killed.
package reader

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"syscall"
	"time"

	"github.com/quayside/quayside/shipments-svc/internal/documents/packinglist/list"
	"github.com/quayside/quayside/shipments-svc/internal/documents/tables"
	"github.com/quayside/quayside/shipments-svc/internal/shipments"
)

// The commands of child processes. Behind Read follow pallets, facts, page or table, the kind of the file and the
// directory of PDFium; its standard input is the file, and its file givenFile the assignments in JSON. Behind Prepare
// follows the directory into which it compiles PDFium.
const (
	Read    = "read"
	Prepare = "prepare"
	pallets = "pallets"
	facts   = "facts"
	page    = "page"  // its number follows the directory
	table   = "table" // the name of the sheet and a row follow it
)

// Limits of a child process.
const (
	maxTime   = shipments.ReadTimeout
	maxCPU    = 10 * time.Second // of processor time, in whole seconds
	maxMemory = 256 << 20        // bytes, beyond what the program has when it starts
	maxAnswer = 16 << 20         // bytes
	maxStderr = 8 << 10          // bytes
)

// givenFile is the first of the files that a child has besides the three of its standard streams.
const givenFile = 3

// The codes of failures of the child process.
const (
	TooSlow       = "too_slow"
	TooMuchMemory = tables.TooMuchMemory
	Crashed       = "unreadable"
)

// Reader implements shipments.Reader.
type Reader struct {
	program string // path of the executable
	name    string // its first argument
	pdfium  string // the directory where it is compiled
	time    time.Duration
	cpu     time.Duration
}

// New returns a Reader whose child processes run this executable.
func New() (*Reader, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("reader: %w", err)
	}
	return &Reader{
		program: program, name: "shipments-svc", pdfium: tables.PDFiumDirectory(), time: maxTime, cpu: maxCPU,
	}, nil
}

// Prepare compiles PDFium, unless that was done before, in a process of its own: it takes 350 MiB. Until then each
// child that reads a PDF does.
func (r *Reader) Prepare(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, r.program) //nolint:gosec // G204: this program
	cmd.Args, cmd.SysProcAttr = []string{r.name, Command, Prepare, r.pdfium}, new(childAttributes)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("prepare PDFium: %w: %s", err, out)
	}
	return nil
}

// Command is the command of this program that reads packing lists.
const Command = "packinglist"

// result is what a child writes to its standard output: one of the two. Its types are those of packinglist, of which
// the service's differ in the place of a pallet.
type result struct {
	Reading *struct {
		shipments.Reading
		Pallets []struct {
			shipments.Pallet
			Place list.Place `json:"place"`
		}
	}
	Page    []byte
	Failure *shipments.UnreadableError
}

// reading returns the result as the service has it.
func (r result) reading() (shipments.Reading, error) {
	if r.Failure != nil {
		r.Failure.Interrupted = r.Failure.Code == TooMuchMemory
		return shipments.Reading{}, r.Failure
	}
	read := r.Reading.Reading
	for _, p := range r.Reading.Pallets {
		p.Source = shipments.Source{Sheet: p.Place.Sheet, Row: p.Place.Row}
		read.Pallets = append(read.Pallets, p.Pallet)
	}
	if fault := shipments.Beyond(read.Pallets); fault != "" {
		failure := shipments.Failure{Code: string(shipments.TooManyPallets), Detail: fault}
		return shipments.Reading{}, &shipments.UnreadableError{Failure: failure, Mappings: read.Mappings}
	}
	return read, nil
}

// Read implements shipments.Reader.
func (r *Reader) Read(ctx context.Context, docType shipments.DocumentType, kind shipments.Kind, content io.ReaderAt,
	size int64, given []shipments.Assignment,
) (shipments.Reading, error) {
	what := pallets
	if docType != shipments.PackingList {
		what = facts
	}
	answer, err := r.ask(ctx, content, size, given, what, string(kind), r.pdfium)
	if err != nil {
		return shipments.Reading{}, err
	}
	if answer.Reading == nil && answer.Failure == nil {
		return shipments.Reading{}, unreadable(Crashed, "The file could not be read: the reader's output is invalid.")
	}
	return answer.reading()
}

// Page implements shipments.Pages.
func (r *Reader) Page(ctx context.Context, d shipments.Document, content io.ReaderAt, number int) ([]byte, error) {
	return r.shown(ctx, d, content, page, strconv.Itoa(number))
}

// Table implements shipments.Pages.
func (r *Reader) Table(
	ctx context.Context, d shipments.Document, content io.ReaderAt, sheet string, row int,
) (part shipments.TablePart, err error) {
	text, err := r.shown(ctx, d, content, table, sheet, strconv.Itoa(row))
	if err == nil {
		err = json.Unmarshal(text, &part)
	}
	return part, err
}

// shown returns what a child shows of a document.
func (r *Reader) shown(
	ctx context.Context, d shipments.Document, content io.ReaderAt, what string, which ...string,
) ([]byte, error) {
	args := append([]string{what, string(d.Kind), r.pdfium}, which...)
	answer, err := r.ask(ctx, content, d.Size, nil, args...)
	if err == nil && answer.Failure != nil {
		err = answer.Failure
	}
	return answer.Page, err
}

// ask returns the result of a child.
func (r *Reader) ask(
	ctx context.Context, content io.ReaderAt, size int64, given []shipments.Assignment, args ...string,
) (result, error) {
	file, err := onDisk(content, size)
	if err != nil {
		return result{}, fmt.Errorf("read document: %w", err)
	}
	if file != content {
		defer func() { _ = file.Close() }()
	}
	text, err := json.Marshal(given)
	if err != nil {
		return result{}, fmt.Errorf("read document: %w", err)
	}
	limited, cancel := context.WithTimeout(ctx, r.time)
	defer cancel()
	answer, err := r.answer(limited, file, text, args)
	if errors.Is(err, errEnded) { // perhaps it was killed and the file is in order
		answer, err = r.answer(limited, file, text, args)
	}
	switch {
	case ctx.Err() != nil:
		return result{}, ctx.Err()
	case limited.Err() != nil:
		return result{}, unreadable(TooSlow, "Reading the file took longer than %s.", r.time)
	case errors.Is(err, errEnded):
		return result{}, unreadable(Crashed, "The file could not be read: the program that reads it failed twice.")
	default:
		return answer, err
	}
}

// errEnded means that a child ended without a result, within its limits.
var errEnded = errors.New("read document: the process ended")

// answer runs a child and returns its result.
func (r *Reader) answer(ctx context.Context, file *os.File, given []byte, args []string) (answer result, err error) {
	var out, stderr bounded
	out.limit, stderr.limit = maxAnswer, maxStderr
	used, err := r.run(ctx, file, given, args, &out, &stderr)
	switch {
	case err != nil && used >= r.cpu/cpuShare:
		return answer, unreadable(TooSlow, "Reading the file took more than %s of processor time.", r.cpu)
	case err != nil && outOfMemory.Match(stderr.text):
		return answer, unreadable(TooMuchMemory, "Reading the file took more than %d MiB of memory.", maxMemory>>20)
	case errors.As(err, new(*exec.ExitError)):
		return answer, errEnded
	case err != nil: // it did not start
		return answer, fmt.Errorf("read document: %w", err)
	}
	err = json.Unmarshal(out.text, &answer) // of the child, which is not trusted
	if err != nil || out.over || answer.Failure != nil && answer.Reading != nil {
		return result{}, unreadable(Crashed, "The file could not be read: the reader's output is invalid.")
	}
	return answer, nil
}

// outOfMemory is in what a child writes that has used up its memory, also where the runtime fails to start a thread.
var outOfMemory = regexp.MustCompile(
	`out of memory|cannot allocate memory|failed to allocate|failed to create new OS thread|pthread_create failed`)

// cpuShare is the part of the limit of processor time, one in cpuShare, that a child
// killed for it has used at least: the kernel counts the limit in ticks, and may
// report much less on a busy virtual machine.
const cpuShare = 2

// run runs a child until it or its context ends, and returns its processor time.
func (r *Reader) run(
	ctx context.Context, file *os.File, given []byte, args []string, out, stderr io.Writer,
) (used time.Duration, err error) {
	givenFrom, givenTo, err := os.Pipe()
	if err != nil {
		return 0, err
	}
	defer func() { _ = givenFrom.Close() }() // which also ends writing to it
	go func() {
		_, _ = givenTo.Write(given)
		_ = givenTo.Close()
	}()
	cmd := exec.CommandContext(ctx, r.program) //nolint:gosec // G204: this program
	cmd.Args = append([]string{r.name, Command, Read}, args...)
	cmd.Env = []string{} // nil would be the parent's
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = file, out, stderr
	cmd.ExtraFiles = []*os.File{givenFrom}
	cmd.SysProcAttr = new(childAttributes)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // for descendants that hold the pipes after the child has ended
	err = cmd.Run()
	if cmd.ProcessState != nil {
		used = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	return used, err
}

// unreadable returns an error which says nothing about the file but that it could not be read within the limits.
func unreadable(code, format string, args ...any) error {
	return &shipments.UnreadableError{Interrupted: true, Failure: shipments.Failure{
		Code:   code,
		Detail: fmt.Sprintf(format, args...),
	}}
}

// onDisk returns content as a file for a child: itself, or a copy without a name.
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

// bounded is a writer that keeps the first limit bytes.
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

var (
	_ shipments.Reader = (*Reader)(nil)
	_ shipments.Pages  = (*Reader)(nil)
)
