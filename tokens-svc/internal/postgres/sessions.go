package postgres

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/session"
)

// Sessions implements session.Store.
type Sessions struct {
	db  *sqlx.DB
	now func() time.Time
}

// NewSessions returns a store over a pool that Open returned. now decides which sessions have expired.
func NewSessions(db *sqlx.DB, now func() time.Time) *Sessions { return &Sessions{db: db, now: now} }

// Find implements session.Store. A session that was made while its account changed is from an earlier epoch.
func (s *Sessions) Find(ctx context.Context, sum string) (session.Row, error) {
	type foundRow struct {
		session.Row
		Data []byte
	}
	row, err := getRow[foundRow](ctx, s.db, `
		SELECT s.id, s.created_at, coalesce(s.user_id, '') AS user, s.session_epoch AS epoch, s.data,
			coalesce(s.proved_at, `+never+`) AS proved_at
		FROM sessions s LEFT JOIN users u ON u.id = s.user_id
		WHERE s.token_sum = $1 AND s.expires_at > $2
		AND (s.user_id IS NULL OR u.disabled_at IS NULL AND u.session_epoch = s.session_epoch)`, sum, s.now())
	_ = json.Unmarshal(row.Data, &row.Texts) // those of an earlier version are dropped
	return row.Row, err
}

// texts is what a session keeps, as jsonb. Without anything, earlier versions stored null.
const texts = `coalesce(nullif(convert_from(data, 'UTF8')::jsonb, 'null'), '{}')`

// Save implements session.Store.
func (s *Sessions) Save(ctx context.Context, sum string, r *session.Row) (saved bool, err error) {
	now := s.now()
	data := []byte("{}")
	if r.Kept != nil {
		if data, err = json.Marshal(r.Kept); err != nil {
			return false, err
		}
	}
	from, _ := r.Address.MarshalText() // "" if it is not known
	address := null(string(from))
	if r.ID != "" {
		end := now.Add(session.Idle)
		if last := r.CreatedAt.Add(session.Lifetime); last.Before(end) {
			end = last
		}
		n, err := affected(ctx, s.db, `
			UPDATE sessions SET data = convert_to((`+texts+` || $2::jsonb)::text, 'UTF8'), last_seen_at = $3,
				expires_at = $4, address = $5::inet, user_agent = $6
			WHERE token_sum = $1`, sum, string(data), now, end, address, r.UserAgent)
		return n > 0, err
	}
	r.ID, r.CreatedAt = publicid.New("ses"), now
	return true, exec(ctx, s.db, `
		INSERT INTO sessions (id, token_sum, user_id, data, created_at, last_seen_at, expires_at, address, user_agent,
			session_epoch, proved_at)
		VALUES ($1, $2, $3, $4, $5, $5, $6, $7::inet, $8, $9, $10)`, r.ID, sum, null(string(r.User)), data, now,
		now.Add(session.Idle), address, r.UserAgent, r.Epoch, null(r.ProvedAt))
}

// Take implements session.Store. A second one waits for the first, and finds nothing.
func (s *Sessions) Take(ctx context.Context, sum, key string) (string, error) {
	return getRow[string](ctx, s.db, `
		WITH kept AS (
			SELECT id, `+texts+` AS texts FROM sessions WHERE token_sum = $1 FOR UPDATE
		), taken AS (
			UPDATE sessions s SET data = convert_to((kept.texts - $2::text)::text, 'UTF8')
			FROM kept WHERE s.id = kept.id RETURNING kept.texts ->> $2 AS text
		)
		SELECT coalesce((SELECT text FROM taken), '')`, sum, key)
}

// Delete implements session.Store.
func (s *Sessions) Delete(ctx context.Context, sum string) (existed bool, err error) {
	ended, err := getRows[string](ctx, s.db, `DELETE FROM sessions WHERE token_sum = $1 RETURNING id`, sum)
	return len(ended) > 0, err
}

// List implements session.Store.
func (s *Sessions) List(ctx context.Context, user people.UserID) ([]session.Session, error) {
	return getRows[session.Session](ctx, s.db, `
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

var _ session.Store = (*Sessions)(nil)
