// Package chaos breaks what lies between the programs, and the programs
// themselves, one thing at a time under a steady load of real requests, and
// says beside each promise of the product what was seen of it.
//
// It tells this story:
//
//   - A rig is the whole product of devstack with two shipments-svc and with a
//     proxy of toxiproxy in every link between programs (rig.go, link.go).
//     Clients reach the gateway directly.
//   - A load asks, at a fixed rate whether answered or not, what customers ask
//     with good tokens, and what must be refused (kinds.go, load.go).
//   - A fault is a row of a table: what is broken, how, for how long
//     (faults.go). strike*.go know how to break things and to make them good.
//   - Observing a fault is: load, calm, fault, end, calm (observe.go).
//   - A promise judges what was observed (promises*.go). The table of promises
//     is the product's specification: one that the product does not keep is
//     reported as broken, whether or not the product was built to keep it.
//
// What stays of a run are the programs' logs. It needs Linux, a real
// redis-server, and a name for two addresses (see devstack).
package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"regexp"
	"sync"
	"time"
)

// Config says what to run and where.
type Config struct {
	Root   string         // the repository
	Dir    string         // removed before and after
	Logs   string         // where the programs' logs are put at the end
	Faults *regexp.Regexp // which titles to run; nil: all
	Rest   time.Duration  // how long gauges may take to come back once everything is good
	Report io.Writer      // what was observed
	Log    io.Writer      // progress of the start
}

// ErrBroken says that at least one promise was broken. The report tells which.
var ErrBroken = errors.New("promises were broken")

// Run breaks one thing after another. Its error is ErrBroken, or why it could
// not find out.
func Run(ctx context.Context, c Config) (err error) {
	if err := clean(c.Dir, c.Logs); err != nil {
		return err
	}
	r, err := build(ctx, c.Root, c.Dir, c.Log)
	if err != nil {
		return errors.Join(err, clean(c.Dir, c.Logs))
	}
	defer func() { err = errors.Join(err, r.close(), clean(c.Dir, c.Logs)) }()

	report := &report{out: c.Report, begun: time.Now()}
	start, err := r.warm(ctx)
	if err != nil {
		return err
	}
	report.gauges("at the start, under load", start.lines())
	for _, f := range chosen(c.Faults) {
		o, err := r.observe(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.title(), err)
		}
		report.add(o)
	}
	end, err := r.cool(ctx, start, c.Rest)
	if err != nil {
		return err
	}
	report.gauges("at the end, under load", end.lines())
	report.judge("goroutines, memory and connections are back within 10 %", end.above(start))
	return report.close(filepath.Clean(c.Logs))
}

func chosen(titles *regexp.Regexp) []fault {
	return keep(faults, func(f fault) bool { return titles == nil || titles.MatchString(f.title()) })
}

// crowd is how many customers ask at the same time in a busy second.
const crowd = 20

// warm lets the load run, with a busy moment at its beginning, until pools are
// as a day leaves them, and reads the gauges to which everything is to come
// back.
func (r *rig) warm(ctx context.Context) (gauges, error) {
	l := startLoad(ctx, r)
	defer l.stop()
	var rush sync.WaitGroup
	for range crowd {
		rush.Go(func() {
			for begin := time.Now(); time.Since(begin) < time.Second; {
				l.ask(ctx, ctx, kindOf(kindList))
				l.ask(ctx, ctx, kindOf(kindSelf)) // of the other service
			}
		})
	}
	rush.Wait()
	wait(ctx, 4*calm)
	return r.median(ctx, 10)
}

// cool waits under the same load until the gauges are back, or long enough.
func (r *rig) cool(ctx context.Context, start gauges, rest time.Duration) (gauges, error) {
	l := startLoad(ctx, r)
	defer l.stop()
	deadline := time.Now().Add(rest)
	for {
		now, err := r.median(ctx, 10)
		if err != nil || len(now.above(start)) == 0 || time.Now().After(deadline) {
			return now, err
		}
	}
}
