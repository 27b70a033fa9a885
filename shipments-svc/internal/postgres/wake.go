package postgres

import (
	"context"
	"time"

	"github.com/lib/pq"
)

// reconnect is how long Wake waits before it connects again, at first; in the
// end it is ten times as long.
const reconnect = time.Second

// Listen puts a value into rung, unless it has one, for each notification of a
// channel, until ctx ends. The DSN must lead to Postgres directly and not
// through a transaction pooler. While there is no connection nothing is put: a
// notification is a help and no more, and whoever waits looks for himself, too.
func Listen(ctx context.Context, dsn, channel string, rung chan<- struct{}) {
	listener := pq.NewListener(dsn, reconnect, 10*reconnect, nil)
	// Either may wait for a server that vanished without a word, so nobody
	// waits for them.
	go func() { _ = listener.Listen(channel) }()
	defer func() { go func() { _ = listener.Close() }() }()
	for {
		select {
		case <-ctx.Done():
			return
		case <-listener.Notify: // also after a reconnection, when one may have been missed
			select {
			case rung <- struct{}{}:
			default:
			}
		}
	}
}
