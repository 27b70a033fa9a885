package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// errBroken means that at least one promise was broken. The report names them.
var errBroken = errors.New("promises were broken")

// report writes each observation, and at the end the broken promises.
type report struct {
	out       io.Writer
	begun     time.Time
	evaluated int
	broken    []string
}

func newReport(out io.Writer) *report { return &report{out: out, begun: time.Now()} }

// add evaluates the promises about one fault.
func (r *report) add(o *observation) {
	during := customers(o.during())
	r.print("\n%s: %s, %.1f s\n", o.fault.on, o.fault.title, o.removed.Sub(o.began).Seconds())
	r.print("    %d requests of customers, %d failed: %s\n", len(during), len(failures(during)), outcomes(during, 6))
	for _, p := range slices.Concat(everywhere, o.fault.promises) {
		r.evaluated++
		kept, seen := p.kept(o)
		word := "kept  "
		if !kept {
			word = "BROKEN"
			r.broken = append(r.broken, fmt.Sprintf("%s: %s (%s)", o.fault.title, p.text, seen))
		}
		r.print("  %s  %-62s  %s\n", word, p.text, seen)
	}
}

// close writes the summary and returns errBroken for broken promises.
func (r *report) close() error {
	took := time.Since(r.begun).Round(time.Second)
	r.print("\n%d promises evaluated in %s, %d broken\n", r.evaluated, took, len(r.broken))
	for _, one := range r.broken {
		r.print("  BROKEN  %s\n", one)
	}
	if len(r.broken) > 0 {
		return errBroken
	}
	return nil
}

func (r *report) print(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format, args...) }
