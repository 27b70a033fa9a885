package chaos

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/quayside/quayside/deploy/devstack"
)

// pulse is what was felt of the programs while something was broken.
type pulse struct {
	beats int
	dead  []string // /livez that was not 200: once a program
}

// feel asks every program's /livez until ctx ends.
func (r *rig) feel(ctx context.Context) (p pulse) {
	tick := time.NewTicker(250 * time.Millisecond)
	defer tick.Stop()
	dead := map[string]bool{}
	for {
		for _, program := range r.stack.Programs() {
			said := r.livez(ctx, program)
			if ctx.Err() != nil {
				return p
			}
			p.beats++
			if said != "" && !dead[program.Name()] {
				dead[program.Name()] = true
				p.dead = append(p.dead, program.Name()+" "+said)
			}
		}
		select {
		case <-ctx.Done():
			return p
		case <-tick.C:
		}
	}
}

// livez returns nothing, or what is wrong.
func (r *rig) livez(ctx context.Context, program *devstack.Program) string {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+program.Inner()+"/livez", nil)
	if err != nil {
		return err.Error()
	}
	res, err := r.inner.Do(req)
	if err != nil {
		return reason(err)
	}
	_ = res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Sprint(res.StatusCode)
	}
	return ""
}

// stuck is what a service still has to do for requests when nobody has asked
// for a while, and the connections to Postgres that it may have.
type stuck struct{ goroutines, pool int }

// pooled is the metric of all connections to Postgres that a program may have.
var pooled = map[string]string{"go_sql_max_open_connections": "pool"}

// pools asks the services for the sizes of their pools.
func (r *rig) pools(ctx context.Context) (map[string]int, error) {
	sizes := map[string]int{}
	for _, p := range r.stack.Programs() {
		if !strings.Contains(p.Name(), "-svc") {
			continue
		}
		found, err := r.scrape(ctx, p, pooled)
		if err != nil {
			return nil, fmt.Errorf("pools of %s: %w", p.Name(), err)
		}
		sizes[p.Name()] = int(found["pool"])
	}
	return sizes, nil
}

// letGo waits, while nobody asks anything, until no service has more
// goroutines above what it had before than connections in its pools, and
// returns how many it has. Requests that wait for a broken part end within
// their two seconds. A connection that the gateway keeps for later has a
// goroutine in the service, which is not stuck: as many as there are more
// connections are not counted.
func (r *rig) letGo(ctx context.Context, before gauges) (map[string]stuck, error) {
	ctx, cancel := context.WithTimeout(ctx, longestRequest+time.Second)
	defer cancel()
	sizes, err := r.pools(ctx)
	if err != nil {
		return nil, err
	}
	for {
		now, err := r.readGauges(context.WithoutCancel(ctx))
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
