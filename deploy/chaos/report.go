package chaos

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report writes each observation, and at the end the broken promises.
type report struct {
	out       io.Writer
	begun     time.Time
	evaluated int
	broken    []string
}

// add evaluates the promises about a fault.
func (r *report) add(o *observation) {
	during := customers(o.during())
	r.print("\n%s, %.1f s\n", o.fault.title(), o.removed.Sub(o.began).Seconds())
	r.print("    %d requests of customers, %.1f %% failed: %s\n",
		len(during), 100*share(len(failures(during)), len(during)), outcomes(during, 6))
	for _, p := range o.fault.promises() {
		kept, seen := p.kept(o)
		r.verdict(kept, p.text, seen)
		if !kept {
			r.broken = append(r.broken, fmt.Sprintf("%s: %s (%s)", o.fault.title(), p.text, seen))
		}
	}
}

// addFindings adds a promise about the whole run; findings break it.
func (r *report) addFindings(text string, findings []string) {
	r.print("\nwhole run\n")
	r.verdict(len(findings) == 0, text, strings.Join(findings, "; "))
	for _, finding := range findings {
		r.broken = append(r.broken, fmt.Sprintf("whole run: %s (%s)", text, finding))
	}
}

func (r *report) verdict(kept bool, text, seen string) {
	r.evaluated++
	word := "kept  "
	if !kept {
		word = "BROKEN"
	}
	r.print("  %s  %-62s  %s\n", word, text, seen)
}

func (r *report) resources(when string, lines []string) {
	r.print("\n%s\n    %s\n", when, strings.Join(lines, "\n    "))
}

// close writes the summary and returns ErrBroken for broken promises.
func (r *report) close(logs string) error {
	r.print("\n%d promises evaluated in %s, %d broken\n", r.evaluated, time.Since(r.begun).Round(time.Second), len(r.broken))
	for _, one := range r.broken {
		r.print("  BROKEN  %s\n", one)
	}
	if len(r.broken) == 0 {
		return nil
	}
	r.print("The programs' logs are in %s\n", logs)
	return ErrBroken
}

func (r *report) print(format string, args ...any) { _, _ = fmt.Fprintf(r.out, format, args...) }
