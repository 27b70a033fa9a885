// Package logbuffer is the Caddy module caddy.logging.writers.buffered_stderr: standard error that never blocks a
// request.
//
// Guarantees:
//
//   - Writing a line costs its copy. A log without gathering also waits until the line is written, which
//     takes at most 100 ms of a blocked standard error.
//   - Lines are written whole and in order, across all logs.
//   - A log with gathering writes its lines within that time, or when 32 KiB are pending.
//   - At most 1 MiB is pending. While it is full, lines are dropped and counted, and one line reports the loss.
//   - Closing writes what is pending within a second; later lines go directly to standard error.
//
// If the process is killed or panics, pending lines are lost.
package logbuffer

import (
	"io"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/prometheus/client_golang/prometheus"

	"github.com/quayside/quayside/gateway/internal/caddy/directive"
	"github.com/quayside/quayside/gateway/internal/caddy/metrics"
	"github.com/quayside/quayside/gateway/internal/caddy/pool"
)

func init() {
	caddy.RegisterModule(new(Stderr))
}

// Stderr writes logs to standard error through a buffer shared by all logs.
type Stderr struct {
	// Gather is how long a line may wait for others. Default: 0, each line is written at once.
	Gather caddy.Duration `json:"gather,omitempty"`
}

// linesDropped belongs to the process, not to a configuration.
var linesDropped = prometheus.NewCounter(prometheus.CounterOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "log_lines_dropped_total",
	Help: "Log lines dropped because standard error was blocked.",
})

// CaddyModule returns the Caddy module information.
func (*Stderr) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{ID: "caddy.logging.writers.buffered_stderr", New: func() caddy.Module { return new(Stderr) }}
}

// Provision implements caddy.Provisioner.
func (*Stderr) Provision(ctx caddy.Context) error {
	return metrics.Register(ctx.GetMetricsRegistry(), linesDropped)
}

// String implements caddy.WriterOpener.
func (*Stderr) String() string { return "buffered stderr" }

// WriterKey implements caddy.WriterOpener.
func (s *Stderr) WriterKey() string { return "buffered_stderr:" + time.Duration(s.Gather).String() }

// shared holds the one buffer of all logs.
var shared = pool.New[string, *buffer]()

// OpenWriter implements caddy.WriterOpener.
func (s *Stderr) OpenWriter() (io.WriteCloser, error) {
	opened, release, err := shared.Take(os.Stderr.Name(), func() (*buffer, error) { return newBuffer(os.Stderr, linesDropped.Inc), nil })
	return &writer{opened, time.Duration(s.Gather), release}, err
}

// writer is one log's writer to the buffer.
type writer struct {
	*buffer

	gather  time.Duration
	release func() error
}

// Write implements io.Writer.
func (w *writer) Write(line []byte) (int, error) { return w.write(line, w.gather) }

// Close implements io.Closer.
func (w *writer) Close() error { return w.release() }

// UnmarshalCaddyfile sets up the writer from Caddyfile tokens. Syntax:
//
//	output buffered_stderr [<gather>]
func (s *Stderr) UnmarshalCaddyfile(d *caddyfile.Dispenser) (err error) {
	s.Gather, err = directive.Duration(d)
	return err
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Stderr)(nil)
	_ caddy.WriterOpener    = (*Stderr)(nil)
	_ caddyfile.Unmarshaler = (*Stderr)(nil)
)
