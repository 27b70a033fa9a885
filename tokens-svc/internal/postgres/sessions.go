package postgres

import (
	"context"
	"database/sql"
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
	var row struct {
		ID     string           `db:"id"`
		UserID sql.Null[string] `db:"user_id"`
		Epoch  int64            `db:"session_epoch"`
		Data   []byte           `db:"data"`
	}
	// A session that was made while its account changed is from an earlier epoch.
	err := s.db.GetContext(ctx, &row, `
		SELECT s.id, s.user_id, s.session_epoch, s.data FROM sessions s LEFT JOIN users u ON u.id = s.user_id
		WHERE s.token_sum = $1 AND s.expires_at > $2
		AND (s.user_id IS NULL OR u.disabled_at IS NULL AND u.session_epoch = s.session_epoch)`, tokenSum, s.now())
	if errors.Is(err, sql.ErrNoRows) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, translate(err)
	}
	known := session.RowFrom(ctx)
	known.ID, known.TokenSum, known.User, known.Epoch = row.ID, tokenSum, people.UserID(row.UserID.V), row.Epoch
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
	_, err := s.db.ExecContext(ctx, `
		INSERT INTO sessions (id, token_sum, user_id, data, created_at, last_seen_at, expires_at, address, user_agent, session_epoch)
		VALUES ($1, $2, $3, $4, $5, $5, $6, $7::inet, $8, $9)`,
		id, tokenSum, null(string(row.User)), data, now, end, nullAddress(row.Address), row.UserAgent, row.Epoch)
	if err == nil {
		row.ID, row.TokenSum = id, tokenSum
	}
	return translate(err)
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
		ID         string    `db:"id"`
		CreatedAt  time.Time `db:"created_at"`
		LastSeenAt time.Time `db:"last_seen_at"`
		Address    address   `db:"address"`
		UserAgent  string    `db:"user_agent"`
	}
	return list(ctx, s.db, func(r sessionRow) session.Session {
		return session.Session{ID: r.ID, CreatedAt: r.CreatedAt.UTC(), LastSeenAt: r.LastSeenAt.UTC(), Address: r.Address.Addr, UserAgent: r.UserAgent}
	}, `
		SELECT id, created_at, last_seen_at, host(address) AS address, user_agent FROM sessions
		WHERE user_id = $1 AND expires_at > $2 ORDER BY last_seen_at DESC, id DESC`, user, s.now())
}

// End implements session.Store.
func (s *Sessions) End(ctx context.Context, user people.UserID, id string) error {
	return exec(ctx, s.db, `DELETE FROM sessions WHERE user_id = $1 AND id = $2`, user, id)
}

// EndOthers implements session.Store.
func (s *Sessions) EndOthers(ctx context.Context, user people.UserID, keep string) error {
	return exec(ctx, s.db, `DELETE FROM sessions WHERE user_id = $1 AND id <> $2`, user, keep)
}

// UseForm implements session.Store.
func (s *Sessions) UseForm(ctx context.Context, id string, nonce []byte) (bool, string, error) {
	err := insertNew(ctx, s.db, `INSERT INTO used_forms (session_id, nonce, outcome) VALUES ($1, $2, '') ON CONFLICT DO NOTHING`, id, nonce)
	if !errors.Is(err, tokens.ErrExists) {
		return err == nil, "", err
	}
	var outcome string
	err = s.db.GetContext(ctx, &outcome, `SELECT outcome FROM used_forms WHERE session_id = $1 AND nonce = $2`, id, nonce)
	return false, outcome, translate(err)
}

// NoteForm implements session.Store.
func (s *Sessions) NoteForm(ctx context.Context, id string, nonce []byte, outcome string) error {
	return exec(ctx, s.db, `UPDATE used_forms SET outcome = $3 WHERE session_id = $1 AND nonce = $2`, id, nonce, outcome)
}

// ReleaseForm implements session.Store.
func (s *Sessions) ReleaseForm(ctx context.Context, id string, nonce []byte) error {
	return exec(ctx, s.db, `DELETE FROM used_forms WHERE session_id = $1 AND nonce = $2`, id, nonce)
}

var _ session.Store = (*Sessions)(nil)
