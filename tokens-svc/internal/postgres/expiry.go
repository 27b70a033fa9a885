package postgres

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
)

// expiryBatch is how many expired sessions are read at a time.
const expiryBatch = 500

// ExpireSessions implements people.Repository. A session is removed in the
// transaction that records it, and only if it is still expired.
func (p *People) ExpireSessions(ctx context.Context, at time.Time, entry func(people.User, people.ExpiredSession) audit.Entry) error {
	errs := []error{exec(ctx, p.db, `DELETE FROM sessions WHERE expires_at <= $1 AND user_id IS NULL`, at)}
	for after := ""; ; {
		type expiredRow struct {
			people.ExpiredSession
			UserID people.UserID
		}
		rows, err := list[expiredRow](ctx, p.db, `
			SELECT id, user_id, expires_at FROM sessions
			WHERE expires_at <= $1 AND user_id IS NOT NULL AND id > $2 ORDER BY id LIMIT $3`, at, after, expiryBatch)
		if err != nil {
			return errors.Join(append(errs, err)...)
		}
		for _, row := range rows {
			err := p.mutateAccount(ctx, row.UserID, func(m *accountMutation) error {
				n, err := affected(ctx, m.tx, `DELETE FROM sessions WHERE id = $1 AND expires_at <= $2`, row.ID, at)
				if err != nil || n == 0 {
					return err // another replica recorded it, or it was extended
				}
				return m.record(ctx, entry(m.account.User, row.ExpiredSession))
			})
			if err != nil {
				errs = append(errs, fmt.Errorf("session %s: %w", row.ID, err))
			}
			after = row.ID
		}
		if len(rows) < expiryBatch || ctx.Err() != nil {
			return errors.Join(errs...)
		}
	}
}
