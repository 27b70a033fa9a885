// Package usage counts the requests of each token and reports them to the tokens service.
//
// Guarantees:
//
//   - Counting never blocks on I/O and allocates nothing for a token that is already counted.
//   - Usage is reported each [Interval] and by [Reporter.Close].
//   - Nothing is reported twice. A batch that the tokens service did not receive is merged into the next one; a batch
//     that it may have received, because no response came, is dropped. Counts may be too low after a fault, never too
//     high.
//   - Memory is bounded to 100,000 unreported tokens; requests of further tokens are not counted.
//
// Tokens are identified by their public ids.
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
	// CloseTimeout bounds the last report, and one that is running when the Reporter is closed.
	CloseTimeout = 2 * time.Second
)

// batchTokens bounds a batch: about 190 bytes a token; the tokens service reads 1 MiB.
const batchTokens = 5_000

// Outcome is the outcome of a batch.
type Outcome string

// The outcomes of a batch.
const (
	// Delivered: the tokens service counted it.
	Delivered Outcome = "delivered"
	// Kept: the tokens service did not receive it; it is merged into the next one.
	Kept Outcome = "kept"
	// Dropped: it is lost, because no response came or the tokens service rejects it for good.
	Dropped Outcome = "dropped"
)

// Config configures a [Reporter].
type Config struct {
	// Endpoint is the absolute URL that receives reports.
	Endpoint string
	// Credential is the bearer token for Endpoint.
	Credential string
	// OnBatch receives the outcome of each batch, with an error unless it was delivered.
	OnBatch func(Outcome, error)
	// OnLost receives the number of requests that will never be reported.
	OnLost func(requests int64)
}

// Reporter counts and reports usage. It is safe for concurrent use. Create it with [New].
type Reporter struct {
	config  Config
	client  *client
	pending *ledger
	stop    context.CancelFunc
	stopped chan struct{}
}

// New returns a Reporter and starts it. It connects only when there is something to report.
func New(config Config) *Reporter {
	return start(config, newClient(config.Endpoint, config.Credential))
}

func start(config Config, client *client) *Reporter {
	ctx, stop := context.WithCancel(context.Background())
	r := &Reporter{config: config, client: client, pending: newLedger(), stop: stop, stopped: make(chan struct{})}
	go r.run(ctx)
	return r
}

// Passed counts an allowed request of token from that address.
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

// Close sends the last report, for at most twice [CloseTimeout], and stops the Reporter.
func (r *Reporter) Close() {
	r.stop()
	<-r.stopped
}

func (r *Reporter) run(ctx context.Context) {
	defer close(r.stopped)
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
			r.reportLost(r.pending.take())
			return
		}
	}
}

// report sends the usage in batches. After a batch that fails, the others wait for the next report.
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

// requeue puts back usage that was not reported.
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
