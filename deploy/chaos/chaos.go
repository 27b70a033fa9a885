// Chaos injects faults into the links between programs, and into the programs,
// one at a time under a steady load of real requests, and prints each promise
// with what was observed. The exit status is 1 for broken promises and 2 if a
// fault could not be injected.
//
//		chaos            everything, in under ten minutes
//		chaos REGEXP     faults whose title matches, such as 'Redis: hung'
//
//	  - A topology is a devstack with two replicas of shipments-svc and a proxy of
//	    toxiproxy in every link between programs (topology.go, link.go). Clients
//	    reach the gateway directly.
//	  - The load sends requests of several kinds at fixed rates, those of
//	    customers with valid tokens and those that must be refused (requests.go,
//	    load.go).
//	  - A fault is a row of a table: component, injection, duration (faults.go).
//	    inject_*.go inject faults and remove them.
//	  - An observation covers load, calm, fault, recovery and calm (observe.go).
//	  - A promise evaluates an observation (promises*.go). The table of promises is
//	    the specification: one that the product does not keep is reported as
//	    broken, whether or not it is implemented.
//
// A run leaves the programs' logs. It needs Linux, redis-server, and a host name
// with two addresses (see devstack).
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/quayside/quayside/deploy/promises"
)

func main() {
	promises.Main("chaos", func(ctx context.Context, root string, titles *regexp.Regexp) error {
		return run(ctx, config{
			root: root, dir: filepath.Join(root, ".run", "chaos"), logs: filepath.Join(root, ".run", "chaos-log"),
			titles: titles, rest: 45 * time.Second, report: os.Stdout,
		})
	})
}

type config struct {
	root   string         // the repository
	dir    string         // removed before and after
	logs   string         // where the programs' logs are kept
	titles *regexp.Regexp // matches the titles of the faults to run
	// rest is how long resources may take to return to their start after the last
	// fault: longer than the gateway keeps idle connections to services.
	rest   time.Duration
	report io.Writer // receives what was observed
}

// run injects one fault after another. It returns promises.ErrBroken for broken
// promises, or an error that prevented the observation.
func run(ctx context.Context, c config) (err error) {
	if err := clean(c.dir, c.logs); err != nil {
		return err
	}
	selected := filter(faults, func(f fault) bool { return c.titles.MatchString(f.title()) })
	r, err := startTopology(ctx, c, loadTime(selected))
	if err != nil {
		return errors.Join(err, clean(c.dir, c.logs))
	}
	defer func() { err = errors.Join(err, r.close(), clean(c.dir, c.logs)) }()

	report := promises.NewReport(c.report)
	start, err := r.warmUp(ctx)
	if err != nil {
		return err
	}
	report.Print("\nat the start, under load\n    %s\n", start)
	for _, f := range selected {
		o, err := r.observe(ctx, f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.title(), err)
		}
		o.addTo(report)
	}
	end, err := r.coolDown(ctx, start, c.rest)
	if err != nil {
		return err
	}
	report.Print("\nat the end, under load\n    %s\n", end)
	above := end.above(start)
	report.Begin("whole run", "")
	report.Add("goroutines, connections and memory but for 16 MiB are back within 10 %", len(above) == 0, strings.Join(above, "; "))
	return report.Close(filepath.Clean(c.logs))
}

// loadTime is how long the load runs for these faults, at least.
func loadTime(all []fault) time.Duration {
	total := 5 * calm
	for _, f := range all {
		total += calm + f.lasts + calmAfter
	}
	return total
}

// burstClients is the number of concurrent clients of the initial burst.
const burstClients = 20

// warmUp runs the load, beginning with a burst, until connection pools have
// their usual size, and reads the resources that later readings are compared
// with.
func (r *topology) warmUp(ctx context.Context) (resources, error) {
	l := startLoad(ctx, r)
	defer l.stop()
	var burst sync.WaitGroup
	for range burstClients {
		burst.Go(func() {
			for begin := time.Now(); time.Since(begin) < time.Second; {
				l.call(ctx, ctx, kindOf(kindList))
				l.call(ctx, ctx, kindOf(kindSelf)) // served by tokens-svc
			}
		})
	}
	burst.Wait()
	wait(ctx, 4*calm)
	return r.median(ctx, 10)
}

// coolDown waits under the same load until the resources are back, or rest is over.
func (r *topology) coolDown(ctx context.Context, start resources, rest time.Duration) (resources, error) {
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
