package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// How long to wait before Postgres is connected to anew: at first, and at most.
const (
	reconnectAfter  = 100 * time.Millisecond
	reconnectAtMost = 5 * time.Second
)

// Notifier tells of new changes of tokens: of each one that commits, on any replica, while its connection is up, and
// once when the connection is restored: changes made meanwhile are in the table.
//
// A connection that died without a word is found by TCP's keep-alive, after minutes. Waiters must therefore also poll.
type Notifier struct {
	dsn  string
	mu   sync.Mutex
	next chan struct{}
}

// NewNotifier returns a notifier that is idle until Run. The DSN must lead to
// Postgres directly: a transaction pooler does not pass notifications on.
func NewNotifier(dsn string) *Notifier { return &Notifier{dsn: dsn, next: make(chan struct{})} }

// Next returns a channel that is closed at the next change.
func (n *Notifier) Next() <-chan struct{} {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.next
}

func (n *Notifier) notify() {
	n.mu.Lock()
	defer n.mu.Unlock()
	close(n.next)
	n.next = make(chan struct{})
}

// Run listens until ctx ends and reconnects as often as needed. It calls observe
// of each failure, and with nil that it listens again.
func (n *Notifier) Run(ctx context.Context, observe func(error)) {
	l := pq.NewListener(n.dsn, reconnectAfter, reconnectAtMost, func(event pq.ListenerEventType, err error) {
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
			n.notify()
		}
	}
}

// epoch consists of the identifier of the Postgres cluster, its timeline and the OID of the counter's table r. A new
// cluster has another identifier, promotion and point-in-time recovery begin another timeline, and restoring a dump
// creates another table. A standby has none.
const epoch = `CASE WHEN pg_is_in_recovery() THEN '' ELSE format('%s-%s-%s',
	(SELECT system_identifier FROM pg_control_system()), left(pg_walfile_name(pg_current_wal_lsn()), 8), r.tableoid) END`

// Changes implements tokens.Repository. The counter and the changes are read in one statement and so at one instant; as
// the counter is locked by each change until it commits, every change up to its value is there.
func (r *Repository) Changes(ctx context.Context, after int64, n int) ([]tokens.Change, int64, string, error) {
	type changeRow struct {
		tokens.Change
		Newest int64
	}
	rows, err := getRows[changeRow](ctx, r.db, `
		SELECT `+epoch+` AS epoch, r.value AS newest, coalesce(c.rev, 0) AS revision, coalesce(c.token_id, '') AS token,
			coalesce(c.kind, '') AS kind
		FROM revision r LEFT JOIN LATERAL (
			SELECT rev, token_id, kind FROM changes WHERE rev > $1 ORDER BY rev LIMIT $2
		) c ON true
		ORDER BY c.rev`, after, n)
	if err != nil {
		return nil, 0, "", err
	}
	var changes []tokens.Change
	var upTo int64
	var current string
	for _, row := range rows {
		upTo, current = row.Newest, row.Epoch
		if row.Revision > 0 {
			changes = append(changes, tokens.Change{Revision: row.Revision, Token: row.Token, Kind: row.Kind})
		}
	}
	if len(changes) == n {
		upTo = changes[n-1].Revision // there may be more
	}
	if current == "" {
		return nil, 0, "", fmt.Errorf("%w: Postgres is a standby and may be behind its primary", tokens.ErrUnavailable)
	}
	return changes, upTo, current, nil
}
