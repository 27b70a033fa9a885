package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Sessions implements session.Store.
type Sessions struct {
	db    *sqlx.DB
	newID func(prefix string) string
	now   func() time.Time
}

// NewSessions returns a store over a pool that Open returned. newID makes the
// sessions' public ids; now decides which sessions have expired.
func NewSessions(db *sqlx.DB, newID func(prefix string) string, now func() time.Time) *Sessions {
	return &Sessions{db: db, newID: newID, now: now}
}

// FindCtx implements scs.CtxStore.
func (s *Sessions) FindCtx(ctx context.Context, tokenSum string) ([]byte, bool, error) {
	type foundRow struct {
		session.Row
		Data []byte
	}
	// A session that was made while its account changed is from an earlier epoch.
	row, err := one[foundRow](ctx, s.db, `
		SELECT s.id, coalesce(s.user_id, '') AS user, s.session_epoch AS epoch, s.data
		FROM sessions s LEFT JOIN users u ON u.id = s.user_id
		WHERE s.token_sum = $1 AND s.expires_at > $2
		AND (s.user_id IS NULL OR u.disabled_at IS NULL AND u.session_epoch = s.session_epoch)`, tokenSum, s.now())
	if errors.Is(err, tokens.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, err
	}
	known := session.RowFrom(ctx)
	known.ID, known.TokenSum, known.User, known.Epoch = row.ID, tokenSum, row.User, row.Epoch
	return row.Data, true, nil
}

// CommitCtx implements scs.CtxStore.
func (s *Sessions) CommitCtx(ctx context.Context, tokenSum string, data []byte, end time.Time) error {
	row, now := session.RowFrom(ctx), s.now()
	if row.TokenSum == tokenSum {
		return exec(ctx, s.db, `
			UPDATE sessions SET data = $2, last_seen_at = $3, expires_at = $4, address = $5::inet, user_agent = $6
			WHERE token_sum = $1`, tokenSum, data, now, end, nullAddress(row.Address), row.UserAgent)
	}
	id := s.newID("ses")
	err := exec(ctx, s.db, `
		INSERT INTO sessions (id, token_sum, user_id, data, created_at, last_seen_at, expires_at, address, user_agent,
			session_epoch)
		VALUES ($1, $2, $3, $4, $5, $5, $6, $7::inet, $8, $9)`,
		id, tokenSum, null(string(row.User)), data, now, end, nullAddress(row.Address), row.UserAgent, row.Epoch)
	if err == nil {
		row.ID, row.TokenSum = id, tokenSum
	}
	return err
}

// DeleteCtx implements scs.CtxStore.
func (s *Sessions) DeleteCtx(ctx context.Context, tokenSum string) error {
	return exec(ctx, s.db, `DELETE FROM sessions WHERE token_sum = $1`, tokenSum)
}

// Find implements scs.Store, which a manager calls by FindCtx.
func (s *Sessions) Find(tokenSum string) ([]byte, bool, error) {
	return s.FindCtx(context.Background(), tokenSum)
}

// Commit implements scs.Store, which a manager calls by CommitCtx.
func (s *Sessions) Commit(tokenSum string, data []byte, end time.Time) error {
	return s.CommitCtx(context.Background(), tokenSum, data, end)
}

// Delete implements scs.Store, which a manager calls by DeleteCtx.
func (s *Sessions) Delete(tokenSum string) error { return s.DeleteCtx(context.Background(), tokenSum) }

// List implements session.Store.
func (s *Sessions) List(ctx context.Context, user people.UserID) ([]session.Session, error) {
	type sessionRow struct {
		session.Session
		Address address
	}
	rows, err := list[sessionRow](ctx, s.db, `
		SELECT id, created_at, last_seen_at, host(address) AS address, user_agent FROM sessions
		WHERE user_id = $1 AND expires_at > $2 ORDER BY last_seen_at DESC, id DESC`, user, s.now())
	return converted(func(r sessionRow) session.Session {
		r.Session.Address = r.Address.Addr
		return r.Session
	}, rows, err)
}

// End implements session.Store.
func (s *Sessions) End(ctx context.Context, user people.UserID, id string) error {
	return exec(ctx, s.db, `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, user, id)
}

// EndOthers implements session.Store.
func (s *Sessions) EndOthers(ctx context.Context, user people.UserID, keep string) error {
	return exec(ctx, s.db, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, keep)
}

var _ session.Store = (*Sessions)(nil)
