package chaos

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report writes what was observed as it comes, and at the end what was broken.
type report struct {
	out    io.Writer
	begun  time.Time
	judged int
	broken []string
}

// add judges a fault.
func (r *report) add(o *observation) {
	during := customers(o.during())
	r.print("\n%s, %.1f s\n", o.fault.title(), o.healing.Sub(o.began).Seconds())
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

// judge adds a promise about the whole run, which the findings break.
func (r *report) judge(text string, findings []string) {
	r.print("\nall of it\n")
	r.verdict(len(findings) == 0, text, strings.Join(findings, "; "))
	for _, finding := range findings {
		r.broken = append(r.broken, fmt.Sprintf("all of it: %s (%s)", text, finding))
	}
}

func (r *report) verdict(kept bool, text, seen string) {
	r.judged++
	word := "kept  "
	if !kept {
		word = "BROKEN"
	}
	r.print("  %s  %-62s  %s\n", word, text, seen)
}

func (r *report) gauges(when string, lines []string) {
	r.print("\n%s\n    %s\n", when, strings.Join(lines, "\n    "))
}

// close sums up; its error is ErrBroken when there is something to regret.
func (r *report) close(logs string) error {
	r.print("\n%d promises looked at in %s, %d broken\n", r.judged, time.Since(r.begun).Round(time.Second), len(r.broken))
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
