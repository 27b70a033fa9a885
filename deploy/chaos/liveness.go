package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/test/devstack"
)

// liveness is what /livez of the programs returned during a fault.
type liveness struct {
	probes    int
	unhealthy []string // programs whose /livez was not 200, with the first failure
}

// probeLiveness requests every program's /livez until ctx ends.
func (r *topology) probeLiveness(ctx context.Context) (p liveness) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	unhealthy := map[string]bool{}
	for {
		for _, program := range r.stack.Programs() {
			failure := r.livez(ctx, program)
			if ctx.Err() != nil {
				return p
			}
			p.probes++
			if failure != "" && !unhealthy[program.Name] {
				unhealthy[program.Name] = true
				p.unhealthy = append(p.unhealthy, program.Name+" "+failure)
			}
		}
		select {
		case <-ctx.Done():
			return p
		case <-tick.C:
		}
	}
}

// livez returns the failure, or an empty string.
func (r *topology) livez(ctx context.Context, program *devstack.Program) string {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	res, err := r.get(ctx, program, "/livez")
	if err != nil {
		return reason(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Sprint(res.StatusCode)
	}
	return ""
}

// stuck is the number of goroutines of a service above its start when no request
// is in flight, and the size of its connection pools.
type stuck struct{ goroutines, pool int }

// poolMetric is the maximum number of connections to Postgres, by its short name.
var poolMetric = map[string]string{"go_sql_max_open_connections": "pool"}

// poolSizes reads the sizes of the services' connection pools.
func (r *topology) poolSizes(ctx context.Context) (map[string]int, error) {
	sizes := map[string]int{}
	for _, p := range r.stack.Programs() {
		if !strings.Contains(p.Name, "-svc") {
			continue
		}
		found, err := r.scrape(ctx, p, poolMetric)
		if err != nil {
			return nil, fmt.Errorf("pools of %s: %w", p.Name, err)
		}
		sizes[p.Name] = int(found["pool"])
	}
	return sizes, nil
}

// awaitRelease waits, while the load is paused, until every service has at most
// as many additional goroutines as connections in its pools, and returns the
// numbers. Requests that wait for a broken component end within two seconds. An
// idle connection of the gateway has a goroutine in the service that is not
// stuck, so additional connections are subtracted.
func (r *topology) awaitRelease(ctx context.Context, before resources) (map[string]stuck, error) {
	sizes, err := r.poolSizes(ctx)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, longestRequest+time.Second)
	defer cancel()
	for {
		now, err := r.readResources(context.WithoutCancel(ctx))
		if err != nil {
			return nil, err
		}
		more := func(program, name string) int { return int(now[program][name] - before[program][name]) }
		left, most := map[string]stuck{}, 0
		for program, size := range sizes {
			s := stuck{more(program, "goroutines") - max(more(program, "connections"), 0), size}
			left[program] = s
			most = max(most, s.goroutines-s.pool)
		}
		if most <= 0 || ctx.Err() != nil {
			return left, nil
		}
		wait(ctx, 100*time.Millisecond)
	}
}
