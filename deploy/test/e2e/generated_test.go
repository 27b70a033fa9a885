package e2e

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

var (
	requests = flag.Int("requests", 1000, "how many requests are generated")
	seed     = flag.Uint64("seed", 1, "what the generator starts from")
	budget   = flag.Duration("budget", time.Minute, "when generating ends though requests are left; 0: never")
)

// workers is how many requests are in flight, and perToken how many a token
// makes before its window of 100 a minute could be used up.
const (
	workers  = 8
	perToken = 80
)

// The response to every generated request, valid or not, is documented and no server error. Requests that the documents
// forbid are refused.
func TestGeneratedRequestsGetTheDocumentedResponses(t *testing.T) {
	t.Parallel()
	organization, err := stack.CreateOrganization(t.Context(), "Generated")
	if err != nil {
		t.Fatal(err)
	}
	g := &generator{
		organization: organization, operations: operations(api.documents),
		pool: &pool{ids: map[string][]string{}},
	}
	if *budget > 0 {
		g.end = time.Now().Add(*budget)
	}
	var wg sync.WaitGroup
	for i := range workers {
		wg.Go(func() { g.work(t, i) })
	}
	wg.Wait()
	t.Logf("%d requests of %d; by status: %v", g.sent.Load(), *requests, g.statuses)
	if accepted := g.share(200, 299); accepted < 0.05 {
		t.Errorf("%.1f %% were accepted: want at least 5 %%", 100*accepted)
	}
	g.checkLogs(t)
}

type generator struct {
	organization string
	operations   []operation
	pool         *pool
	end          time.Time
	next, sent   atomic.Int64
	failures     atomic.Int64

	mu       sync.Mutex
	statuses map[int]int
}

// work generates and sends requests until there are enough.
func (g *generator) work(t *testing.T, worker int) {
	var token string
	for used := perToken; t.Context().Err() == nil; used++ {
		n := g.next.Add(1)
		if n > int64(*requests) || !g.end.IsZero() && time.Now().After(g.end) || g.failures.Load() > 50 {
			return
		}
		if used >= perToken {
			fresh, err := stack.CreateToken(t.Context(), g.organization, "admin")
			for err != nil && strings.Contains(err.Error(), "share of the organization") { // other workers change tokens
				fresh, err = stack.CreateToken(t.Context(), g.organization, "admin")
			}
			if err != nil {
				t.Error(err)
				return
			}
			token, used = fresh.Secret, 0
		}
		rng := rand.New(rand.NewPCG(*seed, uint64(n)))
		r := g.request(rng, token)
		// Refused requests count against their address, so that changes often.
		r.from = fmt.Sprintf("127.30.%d.%d", 1+worker, 1+(n/300)%250)
		res, err := r.send()
		if err == nil {
			err = r.verdict(res)
			g.note(res)
		} else {
			err = fmt.Errorf("connection dropped: %w", err)
		}
		if err != nil {
			g.failures.Add(1)
			t.Errorf("seed %d, request %d: %v\n\t%s", *seed, n, err, r)
		}
		if res.status == 401 || res.status == 429 || strings.HasPrefix(r.target, "/api/v1/token") && r.method != "GET" {
			used = perToken // the request may have revoked the token
		}
	}
}

// request returns the request of this random source: one in four as the
// documents allow, the others mutated.
func (g *generator) request(rng *rand.Rand, token string) *request {
	r := g.pool.generate(rng, pick(rng, g.operations))
	r.set("Authorization", "Bearer "+token)
	if rng.IntN(4) > 0 {
		mutate(rng, r)
	}
	return r
}

func (g *generator) note(res response) {
	g.sent.Add(1)
	if res.status < 300 {
		g.pool.harvest(res.body)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.statuses == nil {
		g.statuses = map[int]int{}
	}
	g.statuses[res.status]++
}

// share returns the share of responses with a status from low to high.
func (g *generator) share(low, high int) float64 {
	n := 0
	for status, count := range g.statuses {
		if low <= status && status <= high {
			n += count
		}
	}
	return float64(n) / float64(max(g.sent.Load(), 1))
}

// checkLogs fails the test if a program logged a panic or a data race.
func (g *generator) checkLogs(t *testing.T) {
	t.Helper()
	logs, err := filepath.Glob(filepath.Join(stack.LogDir(), "*"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("no logs: %v", err)
	}
	for _, path := range logs {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, sign := range []string{"panic", "DATA RACE", "runtime error"} {
			if i := strings.Index(string(content), sign); i >= 0 {
				t.Errorf("%s contains %q: %.1500s", filepath.Base(path), sign, content[max(0, i-500):])
			}
		}
	}
}
