// Package logbuffer is the Caddy module caddy.logging.writers.buffered_stderr: standard error that holds nobody
// up. It guarantees that
//
//   - writing a line costs its copy, and for a log that does not gather at most 10 ms, however slow or stuck
//     standard error is;
//   - lines go out whole and in order, those of all logs together;
//   - a log that gathers hands its lines on within the time that it is given, or when 32 KiB are there;
//   - at most 1 MiB waits; while that is full, lines are dropped, counted, and told of when the way is free;
//   - closing hands on what waits, for up to a second, and lines that come later go straight to standard error.
//
// A process that is killed, or that the runtime ends with a panic, takes what was gathered with it.
package logbuffer

import (
	"errors"
	"io"
	"os"
	"time"

	"github.com/caddyserver/caddy/v2"
	"github.com/caddyserver/caddy/v2/caddyconfig/caddyfile"
	"github.com/prometheus/client_golang/prometheus"
)

func init() {
	caddy.RegisterModule(new(Stderr))
}

// Stderr writes logs to standard error without making whoever logs wait for it.
type Stderr struct {
	// Gather is how long a line may wait for others to go with it. Default: 0, each line goes at once.
	Gather caddy.Duration `json:"gather,omitempty"`
}

// linesDropped belongs to the process: each configuration has a registry of its own, and counts must not start
// again with a reload.
var linesDropped = prometheus.NewCounter(prometheus.CounterOpts{
	Namespace: "quayside", Subsystem: "gateway", Name: "log_lines_dropped_total",
	Help: "Log lines that are lost because standard error did not take them.",
})

// CaddyModule returns the Caddy module information.
func (*Stderr) CaddyModule() caddy.ModuleInfo {
	return caddy.ModuleInfo{
		ID:  "caddy.logging.writers.buffered_stderr",
		New: func() caddy.Module { return new(Stderr) },
	}
}

// Provision implements caddy.Provisioner.
func (*Stderr) Provision(ctx caddy.Context) error {
	registry := ctx.GetMetricsRegistry()
	if registry == nil {
		return nil
	}
	err := registry.Register(linesDropped)
	if _, known := errors.AsType[prometheus.AlreadyRegisteredError](err); known {
		return nil // by another log
	}
	return err
}

// String implements caddy.WriterOpener.
func (*Stderr) String() string { return "buffered stderr" }

// WriterKey implements caddy.WriterOpener.
func (s *Stderr) WriterKey() string { return "buffered_stderr:" + time.Duration(s.Gather).String() }

// shared holds the one buffer of all logs, under the key that is its name.
var shared = caddy.NewUsagePool()

// OpenWriter implements caddy.WriterOpener.
func (s *Stderr) OpenWriter() (io.WriteCloser, error) {
	opened, _, err := shared.LoadOrNew(os.Stderr.Name(), func() (caddy.Destructor, error) {
		return newBuffer(os.Stderr, linesDropped.Inc), nil
	})
	if err != nil {
		return nil, err
	}
	return &writer{opened.(*buffer), time.Duration(s.Gather)}, nil
}

// writer is one log's way into the buffer.
type writer struct {
	*buffer

	gather time.Duration
}

// Write implements io.Writer.
func (w *writer) Write(line []byte) (int, error) { return w.write(line, w.gather) }

// Close implements io.Closer.
func (w *writer) Close() error {
	_, err := shared.Delete(os.Stderr.Name())
	return err
}

// UnmarshalCaddyfile sets up the writer from Caddyfile tokens. Syntax:
//
//	output buffered_stderr [<gather>]
func (s *Stderr) UnmarshalCaddyfile(d *caddyfile.Dispenser) error {
	d.Next() // the writer's name
	if d.NextArg() {
		gather, err := caddy.ParseDuration(d.Val())
		if err != nil || gather <= 0 {
			return d.Errf("%s is no time to gather", d.Val())
		}
		s.Gather = caddy.Duration(gather)
	}
	if d.NextArg() || d.NextBlock(0) {
		return d.ArgErr()
	}
	return nil
}

// Interface guards
var (
	_ caddy.Provisioner     = (*Stderr)(nil)
	_ caddy.WriterOpener    = (*Stderr)(nil)
	_ caddyfile.Unmarshaler = (*Stderr)(nil)
)
