package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"
)

// reconnect is the first delay of Listen before it connects again. The longest is
// ten times that.
const reconnect = time.Second

// Listen sends a value to notified, unless its buffer is full, for each
// notification of a channel (LISTEN), until ctx ends. The DSN must lead to Postgres
// directly and not through a transaction pooler. Without a connection nothing is
// sent, so receivers poll as well.
func Listen(ctx context.Context, dsn, channel string, notified chan<- struct{}) {
	listener := pq.NewListener(dsn, reconnect, 10*reconnect, nil)
	// Both block while a server does not respond, so they are not awaited.
	go func() { _ = listener.Listen(channel) }()
	defer func() { go func() { _ = listener.Close() }() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-listener.Notify: // also after a reconnection, when one may have been missed
			select {
			case notified <- struct{}{}:
			default:
			}
		}
	}
}
