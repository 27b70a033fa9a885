// Package usage counts the requests of each token and reports them to the tokens service.
//
// Guarantees:
//
//   - Counting never blocks on I/O and allocates nothing for a token that is already counted.
//   - Usage is reported each [Interval] and by [Reporter.Close]. What was not accepted is merged into the next report,
//     so that counts may be too high if a response was lost.
//   - Only known tokens are counted, and of each the last errors are kept, so memory is bounded as their cache is, and
//     no token displaces what is known of another.
//
// Tokens are identified by their public ids.
package usage

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	// Interval is the time between two reports.
	Interval = 10 * time.Second
	// CloseTimeout bounds the last report, and one that is running when the Reporter is closed.
	CloseTimeout = 2 * time.Second
	// batchTokens bounds a batch: at most 3 KiB a token; the tokens service reads 4 MiB.
	batchTokens = 1_000
	// keptErrors is how many errors of a token a report has: the last ones.
	keptErrors = 10
	// requestBytes bounds Failure.Request.
	requestBytes = 100
)

// Outcome is the outcome of a batch.
type Outcome string

// The outcomes of a batch: the tokens service counted it; it was not accepted, and is merged into the next one; or it
// is lost, because the tokens service rejects its content.
const (
	Delivered Outcome = "delivered"
	Kept      Outcome = "kept"
	Dropped   Outcome = "dropped"
)

// Config configures a [Reporter].
type Config struct {
	// Endpoint is the absolute URL that receives reports.
	Endpoint string
	// Credential is the bearer token for Endpoint.
	Credential string
	// OnBatch receives the outcome of each batch, with an error unless it was delivered.
	OnBatch func(Outcome, error)
}

// use is the unreported usage of a token.
type use struct {
	Token      string     `json:"token"`
	LastUsedAt time.Time  `json:"last_used_at"`
	Allowed    int64      `json:"count"`
	Refused    int64      `json:"refused"`
	Address    netip.Addr `json:"address,omitzero"` // of the last request
	Results    [6]int64   `json:"results"`          // of each of refusals, of success, of another 4xx, and of 5xx
	Errors     []Failure  `json:"errors,omitempty"` // the last ones, oldest first
}

// Failure is a request whose status is an error.
type Failure struct {
	At        time.Time `json:"at"`
	Status    int       `json:"status"`
	RequestID string    `json:"request_id"`
	Request   string    `json:"request"` // its method and escaped path, without secrets
}

// refusals are for want of a valid token, of a permission or of an allowed address, and because a window was empty.
var refusals = []int{http.StatusUnauthorized, http.StatusForbidden, http.StatusTooManyRequests}

// Reporter counts and reports usage. It is safe for concurrent use. Create it with [New].
type Reporter struct {
	config  Config
	http    *http.Client
	mu      sync.Mutex
	uses    map[string]*use // by token
	stop    context.CancelFunc
	running sync.WaitGroup
}

// New returns a Reporter and starts it. It connects only when there is something to report.
func New(config Config) *Reporter { return start(config, &http.Transport{DisableCompression: true}) }

func start(config Config, transport http.RoundTripper) *Reporter {
	ctx, stop := context.WithCancel(context.Background())
	r := &Reporter{
		config: config, uses: make(map[string]*use), stop: stop,
		http: &http.Client{
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
	r.running.Go(func() { r.run(ctx) })
	return r
}

// Count counts a request of token from that address by the status of its response: as refused or as allowed.
func (r *Reporter) Count(token string, from netip.Addr, status int) {
	now, refusal := time.Now(), slices.Index(refusals, status)
	r.mu.Lock()
	defer r.mu.Unlock()
	u := r.of(token, now, from)
	if refusal >= 0 {
		u.Refused++
		u.Results[refusal]++
	} else {
		u.Allowed++
		u.Results[min(max(status/100, 3), 5)]++
	}
}

// Fail keeps an error of a token, which was counted, in place of its oldest one.
func (r *Reporter) Fail(token string, from netip.Addr, f Failure) {
	f.At = time.Now().UTC().Truncate(time.Millisecond)
	f.Request = strings.ToValidUTF8(f.Request[:min(len(f.Request), requestBytes)], "")
	r.merge(use{Token: token, LastUsedAt: f.At, Address: from, Errors: []Failure{f}})
}

// of returns the usage of a token, which was used at a time from an address.
func (r *Reporter) of(token string, at time.Time, from netip.Addr) *use {
	u := r.uses[token]
	if u == nil {
		u = &use{Token: token}
		r.uses[token] = u
	}
	if !u.LastUsedAt.After(at) {
		u.LastUsedAt, u.Address = at, from
	}
	return u
}

func (r *Reporter) merge(u use) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := r.of(u.Token, u.LastUsedAt, u.Address)
	known.Allowed += u.Allowed
	known.Refused += u.Refused
	for i, n := range u.Results {
		known.Results[i] += n
	}
	known.Errors = append(known.Errors, u.Errors...)
	slices.SortStableFunc(known.Errors, func(a, b Failure) int { return a.At.Compare(b.At) })
	known.Errors = known.Errors[max(0, len(known.Errors)-keptErrors):]
}

// Close sends the last report, for at most twice [CloseTimeout], and stops the Reporter.
func (r *Reporter) Close() {
	r.stop()
	r.running.Wait()
	r.http.CloseIdleConnections()
}

func (r *Reporter) run(ctx context.Context) {
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	// Close does not cancel a running report, whose outcome would be unknown.
	sending := context.WithoutCancel(ctx)
	for {
		select {
		case <-ticker.C:
			r.report(sending)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(sending, CloseTimeout)
			defer cancel()
			r.report(last)
			return
		}
	}
}

// report sends the usage in batches.
func (r *Reporter) report(ctx context.Context) {
	r.mu.Lock()
	uses := r.uses
	r.uses = make(map[string]*use, len(uses)) // about as many are used until the next report
	r.mu.Unlock()
	for batch := range slices.Chunk(slices.Collect(maps.Values(uses)), batchTokens) {
		outcome, err := r.send(ctx, batch)
		r.config.OnBatch(outcome, err)
		if outcome == Kept {
			for _, u := range batch {
				r.merge(*u)
			}
		}
	}
}

// encode returns the body of a report. Times are UTC with milliseconds.
func encode(batch []*use) ([]byte, error) {
	for i := range batch {
		batch[i].LastUsedAt = batch[i].LastUsedAt.UTC().Truncate(time.Millisecond)
	}
	return json.Marshal(map[string][]*use{"usage": batch})
}

// send sends batch and returns its outcome, with an error unless it was delivered. The error contains neither the
// credential nor the batch.
func (r *Reporter) send(ctx context.Context, batch []*use) (Outcome, error) {
	body, err := encode(batch)
	if err != nil {
		return Dropped, err
	}
	ctx, cancel := context.WithTimeout(ctx, CloseTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.config.Endpoint, bytes.NewReader(body))
	if err != nil {
		return Dropped, err
	}
	request.Header.Set("Authorization", "Bearer "+r.config.Credential)
	request.Header.Set("Content-Type", "application/json")
	response, err := r.http.Do(request)
	if err != nil {
		return Kept, err
	}
	_, _ = io.CopyN(io.Discard, response.Body, 4<<10) // the service logs the details
	_ = response.Body.Close()
	switch status := response.StatusCode; status {
	case http.StatusOK, http.StatusNoContent:
		return Delivered, nil
	case http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType,
		http.StatusUnprocessableEntity:
		return Dropped, fmt.Errorf("the tokens service does not accept the report: status %d", status)
	default:
		return Kept, fmt.Errorf("status %d", status)
	}
}
