package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lib/pq"
)

// How long to wait before Postgres is connected to anew: at first, and at most.
const (
	reconnectAfter  = 100 * time.Millisecond
	reconnectAtMost = 5 * time.Second
)

// Notifier notifies waiters of new changes of tokens:
// for each one that commits, on any replica, while its connection is up, and
// once when the connection is restored: changes made meanwhile are in the table.
//
// A connection that died without a word is found by TCP's keep-alive, after
// minutes. Waiters must therefore also poll.
type Notifier struct {
	dsn     string
	mu      sync.Mutex
	waiting map[chan struct{}]struct{}
}

// NewNotifier returns a notifier that is idle until Run. The DSN must lead to
// Postgres directly: a transaction pooler does not pass notifications on.
func NewNotifier(dsn string) *Notifier {
	return &Notifier{dsn: dsn, waiting: map[chan struct{}]struct{}{}}
}

// Run listens until ctx ends and reconnects as often as needed. It calls observe
// of each failure, and with nil that it listens again.
func (b *Notifier) Run(ctx context.Context, observe func(error)) {
	l := pq.NewListener(b.dsn, reconnectAfter, reconnectAtMost, func(event pq.ListenerEventType, err error) {
		if err != nil {
			err = fmt.Errorf("%s: %w", event, err)
		}
		observe(err)
	})
	stop := context.AfterFunc(ctx, func() { _ = l.Close() })
	defer stop()
	if err := l.Listen(channel); err != nil { // waits for Postgres
		if ctx.Err() == nil {
			observe(err)
		}
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-l.Notify: // nil when the connection is back
			b.notify()
		}
	}
}

// Wait returns a channel that gets a value after each ring, or one for several,
// and the function that ends the waiting.
func (b *Notifier) Wait() (notified <-chan struct{}, end func()) {
	c := make(chan struct{}, 1)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.waiting[c] = struct{}{}
	return c, func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.waiting, c)
	}
}

func (b *Notifier) notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for c := range b.waiting {
		select {
		case c <- struct{}{}:
		default: // a notification is pending
		}
	}
}
