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

// report writes each observation, and at the end how many promises were broken.
type report struct {
	out       io.Writer
	begun     time.Time
	evaluated int
	broken    int
}

func newReport(out io.Writer) *report { return &report{out: out, begun: time.Now()} }

// add evaluates the promises about one fault.
func (r *report) add(o *observation) {
	during := customers(o.during())
	r.print("\n%s, %.1f s\n", o.fault.title, o.removed.Sub(o.began).Seconds())
	r.print("    %d requests of customers, %d failed: %s\n", len(during), len(failures(during)), outcomes(during, 6))
	for _, p := range slices.Concat(everywhere, o.fault.promises) {
		r.evaluated++
		kept, seen := p.kept(o)
		word := "kept  "
		if !kept {
			word = "BROKEN"
			r.broken++
		}
		r.print("  %s  %-62s  %s\n", word, p.text, seen)
	}
}

// close writes the summary, and returns errBroken for broken promises.
func (r *report) close() error {
	took := time.Since(r.begun).Round(time.Second)
	r.print("\n%d promises evaluated in %s, %d broken\n", r.evaluated, took, r.broken)
	if r.broken > 0 {
		return errBroken
	}
	return nil
}

func (r *report) print(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format, args...) }
