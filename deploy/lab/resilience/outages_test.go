package resilience

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// outage is the loss of one part of the product under load.
type outage struct {
	name          string
	lose, restore func(context.Context) error
	spared        []string // what does not need that part, and must not notice
}

var outages = []outage{
	{"Redis is gone and returns empty", stopRedis, startRedis, []string{known, unknown, creation}},
	{"Redis becomes read-only", replicaOf("127.0.0.1", "1"), replicaOf("NO", "ONE"), []string{known, unknown, creation}},
	{"tokens-svc hangs", pause("tokens-svc"), resume("tokens-svc"), []string{known, creation}},
	{"tokens-svc is killed", kill("tokens-svc"), start("tokens-svc"), []string{known, creation}},
	{"Postgres is restarted", stopPostgres, startPostgres, nil},
	{"shipments-svc hangs", pause("shipments-svc"), resume("shipments-svc"), []string{unknown}},
	{"shipments-svc is killed", kill("shipments-svc"), start("shipments-svc"), []string{unknown}},
}

// The requests of the load.
const (
	known    = "a request with a known token"
	unknown  = "a request with a token that the gateway does not know"
	creation = "a creation"
)

const (
	longestRequest  = 2 * time.Second
	longestRecovery = 5 * time.Second
)

// errorsOfOutages are problems that say to retry. An organization may have a few large requests under way, of which a
// service that hangs makes many.
var errorsOfOutages = []string{
	"429 too_many_large_requests", "502 upstream_unreachable", "503 auth_unavailable", "503 unavailable",
	"503 upstream_unavailable", "504 upstream_timeout",
}

func stopRedis(context.Context) error         { return stack.StopRedis() }
func startRedis(ctx context.Context) error    { return stack.StartRedis(ctx) }
func stopPostgres(context.Context) error      { return stack.StopPostgres() }
func startPostgres(ctx context.Context) error { return stack.StartPostgres(ctx) }

func pause(program string) func(context.Context) error {
	return func(context.Context) error { return stack.Program(program).Signal(syscall.SIGSTOP) }
}

func resume(program string) func(context.Context) error {
	return func(context.Context) error { return stack.Program(program).Signal(syscall.SIGCONT) }
}

func kill(program string) func(context.Context) error {
	return func(context.Context) error { return stack.Program(program).Kill() }
}

func start(program string) func(context.Context) error {
	return func(ctx context.Context) error { return stack.Program(program).Start(ctx) }
}

// replicaOf is a failover of which the gateway does not know.
func replicaOf(host, port string) func(context.Context) error {
	return func(ctx context.Context) error {
		options, err := redis.ParseURL(stack.RedisURL)
		if err != nil {
			return err
		}
		client := redis.NewClient(options)
		return errors.Join(client.Do(ctx, "REPLICAOF", host, port).Err(), client.Close())
	}
}

// Whatever part is lost, requests that do not need it succeed, the others get a problem that says to retry, within
// longestRequest, and all succeed longestRecovery after its return without a restart of anything else. What was
// acknowledged is stored, and what is repeated with its Idempotency-Key is stored once.
func TestOutagesEndByThemselves(t *testing.T) {
	if !*all {
		t.Skip("of `make lab` only")
	}
	restart(t, false)
	customer, newcomer := newOrganization(t, 0, "127.0.0.1"), newOrganization(t, 240, "127.0.0.2")
	for _, o := range outages {
		t.Run(o.name, func(t *testing.T) { o.test(t, customer, newcomer) })
	}
}

func (o outage) test(t *testing.T, customer, newcomer *organization) {
	restart(t, false)
	created := creations{paths: map[string]string{}}
	requests := map[string]load{
		known:    {row{good: list, rate: 20}, customer},
		unknown:  {row{good: firstUse, rate: 2}, newcomer},
		creation: {row{good: created.next, rate: 4}, customer},
	}
	var fault sync.WaitGroup
	fault.Go(func() {
		wait(t.Context(), time.Second)
		err := o.lose(t.Context())
		wait(t.Context(), usual)
		if err = errors.Join(err, o.restore(context.WithoutCancel(t.Context()))); err != nil {
			t.Error(err)
		}
	})
	during := send(t.Context(), requests, usual+time.Second)
	fault.Wait()
	wait(t.Context(), longestRecovery)
	after := send(t.Context(), requests, time.Second)

	for name, m := range during {
		t.Logf("%s: %s; p99 %d ms; afterwards %s", name, m, m.p99.Milliseconds(), after[name])
		if slices.Contains(o.spared, name) && m.failed > 0 || after[name].failed > 0 {
			t.Errorf("%s: %d failed, and %d afterwards", name, m.failed, after[name].failed)
		}
		if m.p99 > longestRequest {
			t.Errorf("%s: it took %s", name, m.p99)
		}
		for text := range m.counts {
			if text[0] != '2' && !slices.Contains(errorsOfOutages, text) {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
	created.verify(t, customer)
	for _, p := range stack.Programs() {
		if p.Ended() {
			t.Errorf("%s ended:\n%s", p.Name, p.LogTail())
		}
	}
}

// load is the requests of an organization.
type load struct {
	row
	of *organization
}

// send sends requests of each kind for a time.
func send(ctx context.Context, requests map[string]load, length time.Duration) map[string]*measurement {
	sent := map[string]*measurement{}
	var mu sync.Mutex
	var all sync.WaitGroup
	for name, l := range requests {
		all.Go(func() {
			m := l.measure(ctx, l.of, length)
			mu.Lock()
			defer mu.Unlock()
			sent[name] = m
		})
	}
	all.Wait()
	return sent
}

// creations are shipments with references of their own, which are also their Idempotency-Keys, and their paths.
type creations struct {
	mu    sync.Mutex
	paths map[string]string // empty: not acknowledged
}

func (c *creations) next(ctx context.Context, o *organization) sample {
	reference := fmt.Sprintf("LAB-%d", serial.Add(1))
	s := order(ctx, o, reference, "Idempotency-Key", reference)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.paths[reference] = s.location
	return s
}

// verify repeats every creation.
func (c *creations) verify(t *testing.T, o *organization) {
	t.Helper()
	for reference, path := range c.paths {
		s := order(t.Context(), o, reference, "Idempotency-Key", reference)
		list := o.get(t.Context(), "/api/v1/shipments?reference="+reference)
		if s.failure() != nil || path != "" && s.location != path || strings.Count(list.body, `"id":"ship_`) != 1 {
			t.Errorf("%s was %q and is %q: %s", reference, path, s.location, list.body)
		}
	}
}
