package resilience

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// row is what a good organization does at a rate, in requests a second, and what hostile ones do meanwhile, within the
// documented limits.
type row struct {
	name string
	good work
	rate int

	hostile work
	clients int // that repeat it
	of      int // organizations
	tokens  int // of each, with the documented limit; 0: one without
	prepare func(*testing.T, *organization)

	lasts   time.Duration // 0: usual
	withTLS bool
	quick   bool // decided without -all, too
}

var rows = []row{
	{name: "requests without a token", good: firstUse, rate: 20, hostile: withoutToken, clients: 20, of: 1, quick: true},
	{name: "streams that are not read", good: firstUse, rate: 20, hostile: holdStreams, clients: 12, of: 4, quick: true},
	{name: "streams beside a page", good: visit, rate: 20, hostile: holdStreams, clients: 12, of: 4},
	{name: "connections", good: read, rate: 20, hostile: connect, clients: 1200, of: 1},
	{name: "connections with TLS", good: read, rate: 20, hostile: connect, clients: 1200, of: 1, withTLS: true},
	{name: "held uploads", good: upload, rate: 5, hostile: holdUpload, clients: 16, of: 4, tokens: 4, quick: true},
	{
		name: "held downloads", good: read, rate: 20, hostile: holdDownload, clients: 64, of: 4, tokens: 4,
		prepare: large(4, 250, 20),
	},
	{
		name: "a service that hangs", good: read, rate: 20, hostile: uploadToHanging, clients: 64, of: 1, tokens: 10,
		prepare: archived,
	},
	{name: "token changes", good: firstUse, rate: 20, hostile: changeTokens, clients: 60, of: 1, tokens: 60, quick: true},
	{name: "introspections", good: firstUse, rate: 20, hostile: readToken, clients: 32, of: 4, tokens: 250},
	{
		name: "introspections that expire at once", good: read, rate: 20, hostile: readToken, clients: 32, of: 4, tokens: 250,
		lasts: 65 * time.Second,
	},
	{
		name: "changes with SSCCs", good: read, rate: 20, hostile: addPallets, clients: 40, of: 1, tokens: 20,
		prepare: large(1, 200, 1),
	},
	{
		name: "big shipments", good: read, rate: 20, hostile: read, clients: 40, of: 1, tokens: 40,
		prepare: large(4, 250, 20),
	},
	{name: "big mappings", good: process, rate: 2, hostile: mapSheets, clients: 4, of: 2, tokens: 4, prepare: unread},
	{name: "many templates", good: process, rate: 2, hostile: process, clients: 4, of: 1, tokens: 10, prepare: templated},
	{name: "previews", good: preview, rate: 2, hostile: preview, clients: 8, of: 2, tokens: 4, prepare: large(0, 500, 20)},
	{
		name: "pages of documents", good: look, rate: 2, hostile: look, clients: 8, of: 2, tokens: 4,
		prepare: large(1, 500, 20),
	},
	{
		name: "corrections that are tried", good: correct, rate: 2, hostile: correct, clients: 8, of: 2, tokens: 4,
		prepare: large(1, 500, 20),
	},
	{name: "exports", good: export, rate: 5, hostile: export, clients: 10, of: 2, prepare: large(1, 500, 20)},
	{
		name: "archives of many entries", good: upload, rate: 5, hostile: attachArchive, clients: 20, of: 4, tokens: 4,
		prepare: archived,
	},
	{
		name: "webhooks that hang", good: notify, rate: 5, hostile: create, clients: 14, of: 7, tokens: 4,
		prepare: subscribed("/hang", 20), quick: true,
	},
	{
		name: "many endpoints", good: notify, rate: 5, hostile: create, clients: 4, of: 1, tokens: 20,
		prepare: subscribed("/receive", 20),
	},
	{name: "long polls", good: read, rate: 20, hostile: poll, clients: 150, of: 3, tokens: 60},
	{name: "filters of audit logs", good: firstUse, rate: 20, hostile: filterAudit, clients: 8, of: 1, prepare: audited},
	{name: "mails", good: invite, rate: 1, hostile: invite, clients: 8, of: 2},
	{name: "attempts to sign in", good: signIn, rate: 1, hostile: guess, clients: 32, of: 8},
}

const (
	usual = 4 * time.Second // of a measurement
	slack = 50 * time.Millisecond
)

// memory has the bytes of memory that docker-compose.yml and deploy/kubernetes give, files in /tmp included, and those
// of /tmp itself.
var memory = map[string]uint64{
	"gateway": 512 << 20, "tokens-svc": 512 << 20, "shipments-svc": 1536 << 20, "tmp": 64 << 20,
}

func TestNeighboursTakeNothing(t *testing.T) {
	restart(t, false)
	good := newOrganization(t, 240, "127.0.0.1")
	subscribed("/receive", 1)(t, good)
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			if !r.quick && !*all {
				t.Skip("of `make neighbours` only")
			}
			r.test(t, good)
		})
	}
}

func (r row) test(t *testing.T, good *organization) {
	restart(t, r.withTLS)
	alone := &measurement{}
	if *all {
		alone = r.measure(t.Context(), good, usual)
	}
	hostile := make([]*organization, r.of)
	for i := range hostile {
		hostile[i] = newOrganization(t, r.tokens, fmt.Sprintf("127.1.0.%d", 1+i))
		if r.prepare != nil {
			r.prepare(t, hostile[i])
		}
		if r.tokens > 0 {
			hostile[i].tokens = hostile[i].fresh
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var attack sync.WaitGroup
	peak, got := map[string]uint64{}, &outcomes{}
	attack.Go(func() { watch(ctx, peak) })
	for i := range r.clients {
		wait(ctx, time.Millisecond)
		attack.Go(func() { r.repeat(ctx, hostile[i%r.of], got) })
	}
	beside := r.measure(t.Context(), good, max(usual, r.lasts))
	stop()
	attack.Wait()

	text := fmt.Sprintf("alone %4d and %4d ms, beside %5d and %5d ms;", alone.p50.Milliseconds(), alone.p99.Milliseconds(),
		beside.p50.Milliseconds(), beside.p99.Milliseconds())
	for _, name := range slices.Sorted(maps.Keys(memory)) {
		if text += fmt.Sprintf(" %s %d/%d", name, peak[name]>>20, memory[name]>>20); peak[name] > memory[name] {
			t.Errorf("%s has %d MiB, and there are %d", name, peak[name]>>20, memory[name]>>20)
		}
	}
	t.Logf("%s MiB; good: %s; hostile: %s", text, beside.String(), got)
	if alone.failed+beside.failed > 0 {
		t.Errorf("%d errors alone and %d beside", alone.failed, beside.failed)
	}
	if *all && beside.p99 > 2*alone.p99+slack {
		t.Error("the 99th percentile is above twice that of alone and 50 ms")
	}
	for _, p := range stack.Programs() {
		if p.Ended() {
			t.Errorf("%s ended:\n%s", p.Name, p.LogTail())
		}
	}
}

// outcomes counts requests by what they led to.
type outcomes struct {
	mu     sync.Mutex
	counts map[string]int
	failed int
}

func (o *outcomes) add(s sample) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.counts == nil {
		o.counts = map[string]int{}
	}
	text := fmt.Sprint(s.status)
	if err := s.failure(); err != nil {
		o.failed++
		text = err.Error()
		text = text[strings.LastIndex(text, ": ")+1:]
	}
	o.counts[text]++
}

// String has the most frequent first.
func (o *outcomes) String() string {
	texts := slices.SortedFunc(maps.Keys(o.counts), func(x, y string) int { return o.counts[y] - o.counts[x] })
	for i, text := range texts {
		texts[i] = fmt.Sprintf("%d × %s", o.counts[text], strings.TrimSpace(text))
	}
	return strings.Join(texts, ", ")
}

// measurement is what was measured of the good organization.
type measurement struct {
	outcomes
	p50, p99 time.Duration
}

// measure sends the requests of the good organization at their rate, whatever becomes of earlier ones. Those of the
// first second do not count for latency.
func (r row) measure(ctx context.Context, good *organization, length time.Duration) *measurement {
	var m measurement
	var latencies []time.Duration
	var requests sync.WaitGroup
	start := time.Now().Add(time.Second)
	due := time.NewTicker(time.Second / time.Duration(r.rate))
	defer due.Stop()
	for time.Since(start) < length {
		<-due.C
		requests.Go(func() {
			began := time.Now()
			s := r.good(ctx, good)
			took := time.Since(began)
			m.add(s)
			m.mu.Lock()
			defer m.mu.Unlock()
			if began.After(start) {
				latencies = append(latencies, took)
			}
		})
	}
	requests.Wait()
	slices.Sort(latencies)
	m.p50, m.p99 = latencies[len(latencies)/2], latencies[len(latencies)*99/100]
	return &m
}

// repeat is a client of a hostile organization.
func (r row) repeat(ctx context.Context, o *organization, got *outcomes) {
	for ctx.Err() == nil {
		s := r.hostile(ctx, o)
		if ctx.Err() == nil {
			got.add(s)
		}
		pause := 50 * time.Millisecond
		if s.failure() != nil {
			pause *= 10
		}
		wait(ctx, pause)
	}
}

func wait(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}

// watch records the peaks of memory, of programs with their children, until ctx ends.
func watch(ctx context.Context, peak map[string]uint64) {
	for ; ctx.Err() == nil; wait(ctx, 50*time.Millisecond) {
		now := map[string]uint64{}
		files, _ := os.ReadDir(filepath.Join(dir, "tmp"))
		for _, file := range files {
			if info, err := file.Info(); err == nil {
				now["tmp"] += uint64(info.Size())
			}
		}
		now["shipments-svc"] = now["tmp"]
		processes, _ := procfs.AllProcs()
		for _, process := range processes {
			stat, err := process.Stat()
			for _, p := range stack.Programs() {
				if err == nil && (stat.PID == p.PID() || stat.PPID == p.PID()) {
					status, _ := process.NewStatus()
					now[p.Name] += status.RssAnon
				}
			}
		}
		for name, used := range now {
			peak[name] = max(peak[name], used)
		}
	}
}
