// Package usage counts what each token is used for and reports it to the tokens service.
//
// Its guarantees:
//
//   - Counting waits for nobody but, for nanoseconds, another request whose token shares the shard, and
//     allocates nothing for a token that is already counted.
//   - What is counted is reported within [Interval], and once more by [Reporter.Close].
//   - Nothing is reported twice. A batch that the tokens service did not take is kept, merged with what
//     comes, and sent again; a batch that it may have taken, because it went out and no answer came, is
//     given up. Counts can so be too low after a fault, and never too high.
//   - Memory is bounded: uses of at most about 100,000 tokens wait at a time, and those of further tokens
//     are not counted.
//
// Tokens are known here by their public ids only.
package usage

import (
	"context"
	"errors"
	"net/netip"
	"time"
)

const (
	// Interval is the time between two reports.
	Interval = 10 * time.Second
	// CloseTimeout bounds the last report, and one that is under way when the Reporter is closed.
	CloseTimeout = 2 * time.Second
)

// batchTokens is how many tokens one batch is about at most: some 190 bytes each, and the tokens service
// reads 1 MiB.
const batchTokens = 5_000

// Outcome is what became of a batch.
type Outcome string

// The outcomes of a batch.
const (
	// Delivered says that the tokens service has counted it.
	Delivered Outcome = "delivered"
	// Kept says that the tokens service has surely not counted it; it is part of the next one.
	Kept Outcome = "kept"
	// Dropped says that it is lost: no answer came, or the tokens service will not have it at any time.
	Dropped Outcome = "dropped"
)

// Config is what a [Reporter] needs.
type Config struct {
	// Endpoint is the absolute URL that takes the reports.
	Endpoint string
	// Credential is presented there as a bearer token.
	Credential string
	// Batch is told what became of each batch, with the error unless it was delivered.
	OnBatch func(Outcome, error)
	// Lost is told how many requests will never be reported.
	OnLost func(requests int64)
}

// Reporter counts uses and reports them. It is safe for concurrent use; make it with [New].
type Reporter struct {
	config  Config
	client  *client
	pending ledger
	stop    context.CancelFunc
	stopped chan struct{}
}

// New returns a Reporter that reports until it is closed. It connects only when there is something to
// report.
func New(config Config) *Reporter {
	return start(config, newClient(config.Endpoint, config.Credential))
}

func start(config Config, client *client) *Reporter {
	ctx, stop := context.WithCancel(context.Background())
	r := &Reporter{config: config, client: client, pending: newLedger(), stop: stop, stopped: make(chan struct{})}
	go r.run(ctx)
	return r
}

// Passed counts a request of token from that address that was let through.
func (r *Reporter) Passed(token string, from netip.Addr) {
	r.count(token, use{last: time.Now(), passed: 1, address: from})
}

// Refused counts a request of token from that address that was refused because its window was empty.
func (r *Reporter) Refused(token string, from netip.Addr) {
	r.count(token, use{last: time.Now(), refused: 1, address: from})
}

func (r *Reporter) count(token string, u use) {
	if !r.pending.add(token, u) {
		r.config.OnLost(u.requests())
	}
}

// Close reports what was counted, for at most twice [CloseTimeout], and ends the Reporter, which must not be
// used afterwards.
func (r *Reporter) Close() {
	r.stop()
	<-r.stopped
}

func (r *Reporter) run(ctx context.Context) {
	defer close(r.stopped)
	ticker := time.NewTicker(Interval)
	defer ticker.Stop()
	// A report under way is not cut off by Close: what became of it would not be known.
	sending := context.WithoutCancel(ctx)
	for {
		select {
		case <-ticker.C:
			r.report(sending)
		case <-ctx.Done():
			last, cancel := context.WithTimeout(sending, CloseTimeout)
			defer cancel()
			r.report(last)
			r.reportLost(r.pending.take())
			return
		}
	}
}

// report sends what has been counted, in batches. With the first one that fails it leaves the rest for the
// next time: a service that is away has to be found out once only.
func (r *Reporter) report(ctx context.Context) {
	for uses := r.pending.take(); len(uses) > 0; {
		batch := uses[:min(len(uses), batchTokens)]
		uses = uses[len(batch):]
		outcome, err := r.client.send(ctx, batch)
		r.config.OnBatch(outcome, err)
		switch outcome {
		case Delivered:
			continue
		case Kept:
			r.requeue(batch)
		case Dropped:
			r.reportLost(batch)
			if errors.Is(err, errUnacceptable) {
				continue
			}
		}
		r.requeue(uses)
		return
	}
}

// keep puts back what was not reported.
func (r *Reporter) requeue(uses []tokenUse) {
	for _, u := range uses {
		r.count(u.token, u.use)
	}
}

func (r *Reporter) reportLost(uses []tokenUse) {
	var requests int64
	for _, u := range uses {
		requests += u.requests()
	}
	if requests > 0 {
		r.config.OnLost(requests)
	}
}
