package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Concurrent clients of the load and their pause between requests.
const (
	writers = 3
	readers = 3
	pause   = 20 * time.Millisecond
)

// load sends requests until it is stopped, and keeps a journal of acknowledged
// writes. A write that is not acknowledged is repeated with its Idempotency-Key
// until it is.
type load struct {
	url     string
	token   string
	prefix  string // of references, which are also idempotency keys
	limited string // a token with a limit of limit requests per window
	client  http.Client

	stopping context.CancelFunc
	running  sync.WaitGroup
	written  atomic.Int64

	mu       sync.Mutex
	journal  map[string]bool // of acknowledged references
	requests int             // of customers
	failures map[string]int  // of them, by outcome
	failed   time.Time       // when the last failed request began
	admitted map[string]int  // requests of limited with 200, by the window's reset
}

// limit of the token limited, per window of a minute.
const limit = 60

func startLoad(ctx context.Context, url, token, limited string) *load {
	ctx, stop := context.WithCancel(ctx)
	l := &load{
		url: url, token: token, prefix: fmt.Sprint("DRILL-", time.Now().UnixMilli()), limited: limited, stopping: stop,
		client:  http.Client{Timeout: 10 * time.Second},
		journal: map[string]bool{}, failures: map[string]int{}, admitted: map[string]int{},
	}
	for range writers {
		l.each(ctx, l.write)
	}
	for range readers {
		l.each(ctx, func(ctx context.Context) {
			l.send(ctx, http.MethodGet, "/api/v1/shipments?per_page=5", l.token, "", http.StatusOK)
		})
	}
	l.each(ctx, l.readLimited)
	return l
}

// each calls do until ctx ends, with a context that does not end with it.
func (l *load) each(ctx context.Context, do func(context.Context)) {
	l.running.Go(func() {
		for ctx.Err() == nil {
			do(context.WithoutCancel(ctx))
			time.Sleep(pause)
		}
	})
}

func (l *load) write(ctx context.Context) {
	reference := fmt.Sprintf("%s-%06d", l.prefix, l.written.Add(1))
	shipment := fmt.Sprintf(`{"shipment":{"reference":%q,"vessel":"MSC Carmen","origin":"Cape Town, ZA","destination":"Rotterdam, NL"}}`, reference)
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(pause) {
		got := l.send(ctx, http.MethodPost, "/api/v1/shipments", l.token, shipment, http.StatusCreated)
		if got.status != http.StatusCreated {
			continue
		}
		l.mu.Lock()
		l.journal[reference] = true
		l.mu.Unlock()
		return
	}
}

func (l *load) readLimited(ctx context.Context) {
	got := l.send(ctx, http.MethodGet, "/api/v1/shipments?per_page=1", l.limited, "", http.StatusOK, http.StatusTooManyRequests)
	if got.status == http.StatusOK {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.admitted[got.reset]++
	}
}

// answer is a response that was read; its status is 0 if there was none.
type answer struct {
	status int
	reset  string // of the window
	body   []byte
}

// send sends one request, whose response must have one of these statuses.
func (l *load) send(ctx context.Context, method, path, token, body string, right ...int) answer {
	begun := time.Now()
	got, outcome := l.exchange(ctx, method, path, token, body)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.requests++
	if !slices.Contains(right, got.status) {
		l.failures[outcome]++
		if begun.After(l.failed) {
			l.failed = begun
		}
	}
	return got
}

// exchange also describes the answer, by the code of its problem if it has one.
func (l *load) exchange(ctx context.Context, method, path, token, body string) (a answer, outcome string) {
	req, err := http.NewRequestWithContext(ctx, method, l.url+path, strings.NewReader(body))
	if err != nil {
		return a, err.Error()
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", strings.Split(body, `"`)[5])
	}
	res, err := l.client.Do(req)
	if err != nil {
		return a, "no response"
	}
	defer func() { _ = res.Body.Close() }() // it is only read
	if a.body, err = io.ReadAll(res.Body); err != nil {
		return a, "half a response"
	}
	a.status, a.reset = res.StatusCode, res.Header.Get("X-RateLimit-Reset")
	var problem struct{ Code string }
	_ = json.Unmarshal(a.body, &problem) // without a code the status says enough
	return a, strings.TrimSpace(fmt.Sprint(a.status, " ", problem.Code))
}

// stop ends the load after the requests in flight.
func (l *load) stop() {
	l.stopping()
	l.running.Wait()
}
