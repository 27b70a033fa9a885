package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// storeMails adds mails about an organization or an account to the outbox. Those with the same recipient and name
// become one mail, until it is sent.
func storeMails(ctx context.Context, db sqlx.ExecerContext, about string, at time.Time, mails []audit.Mail) error {
	for _, m := range mails {
		letter, err := json.Marshal(m.Letter)
		if err != nil {
			return err
		}
		kind := people.MailKindOf(m.Name)
		err = exec(ctx, db, `
			INSERT INTO mails AS m (recipient, name, about, letters, events, due_at, expires_at)
			VALUES ($1, $2, $3, ARRAY[$4::jsonb], 1, $5, $6)
			ON CONFLICT (recipient, name, about) DO UPDATE SET
				letters = CASE WHEN cardinality(m.letters) < $7 THEN m.letters || excluded.letters ELSE m.letters END,
				events = m.events + 1, due_at = greatest(m.due_at, excluded.due_at), expires_at = excluded.expires_at`,
			m.To, m.Name, about, string(letter), at, at.Add(kind.Life), kind.Letters)
		if err != nil {
			return err
		}
	}
	return nil
}

// StoreMail implements people.Repository.
func (r *Repository) StoreMail(ctx context.Context, at time.Time, m audit.Mail) error {
	return storeMails(ctx, r.db, "", at, []audit.Mail{m})
}

// ClaimMail implements people.Repository.
func (r *Repository) ClaimMail(ctx context.Context, now, until time.Time) (people.Delivery, error) {
	type mailRow struct {
		people.Delivery
		Texts pq.StringArray
	}
	row, err := getRow[mailRow](ctx, r.db, `
		UPDATE mails SET due_at = $2, attempts = attempts + 1
		WHERE (recipient, name, about) = (
			SELECT recipient, name, about FROM mails m WHERE events > 0 AND due_at <= $1 AND NOT EXISTS (
				SELECT FROM mails sent WHERE sent.recipient = m.recipient AND sent.name = m.name AND sent.events = 0
					AND sent.due_at > $1)
			ORDER BY attempts, due_at LIMIT 1 FOR UPDATE SKIP LOCKED)
		RETURNING recipient AS to, name, about, letters::text[] AS texts, events, attempts, expires_at`, now, until)
	for _, text := range row.Texts {
		var l people.Letter
		err = errors.Join(err, json.Unmarshal([]byte(text), &l))
		row.Letters = append(row.Letters, l)
	}
	return row.Delivery, err
}

// SettleMail implements people.Repository.
func (r *Repository) SettleMail(ctx context.Context, d people.Delivery, due time.Time) error {
	return exec(ctx, r.db, `
		UPDATE mails SET letters = letters[$4 + 1:], events = events - $5, due_at = $6,
			attempts = CASE WHEN $5 > 0 THEN 0 ELSE attempts END
		WHERE recipient = $1 AND name = $2 AND about = $3`,
		d.To, d.Name, d.About, len(d.Letters), d.Events, due)
}

// Holders implements tokens.Tx.
func (m *mutation) Holders(ctx context.Context, t tokens.Token, maker audit.Actor) ([]string, error) {
	holder := t.Owner.ID
	if t.Owner.IsOrganization() && maker.Kind == audit.User {
		holder = maker.ID
	}
	return getRows[string](ctx, m, `
		WITH members AS (
			SELECT u.id, u.email, m.role FROM memberships m JOIN users u ON u.id = m.user_id
			WHERE m.organization_id = $1 AND u.disabled_at IS NULL
		)
		SELECT email FROM members
		WHERE id = $2 OR $3 AND role = 'owner' AND NOT EXISTS (SELECT FROM members WHERE id = $2) ORDER BY 1`,
		m.org(), holder, t.Owner.IsOrganization())
}

// expiring selects the tokens of which their holders are to be notified.
const expiring = ` revoked_at IS NULL AND rotated_to IS NULL AND expires_at > $1 AND expires_at <= $2
	AND expires_at - created_at > $2 - $1::timestamptz AND expiry_noticed IS DISTINCT FROM expires_at `

// NotifyExpiring implements people.Repository.
func (r *Repository) NotifyExpiring(
	ctx context.Context, now, until time.Time, mails func(tokens.Token, []string) []audit.Mail,
) error {
	all, err := getRows[tokens.OrgID](ctx, r.db,
		`SELECT DISTINCT organization_id FROM api_tokens WHERE`+expiring, now, until)
	for _, org := range all {
		err = errors.Join(err, r.mutate(ctx, org, func(m *mutation) error {
			all, err := listTokens(ctx, m, `WITH noticed AS (
				UPDATE api_tokens SET expiry_noticed = expires_at WHERE id IN (
					SELECT id FROM api_tokens WHERE organization_id = $3 AND`+expiring+`ORDER BY expires_at LIMIT 100)
				RETURNING id
			)`+selectTokens+`WHERE t.id IN (SELECT id FROM noticed) ORDER BY t.expires_at, t.id`, now, until, org)
			for _, t := range all {
				to, failed := m.Holders(ctx, t, t.CreatedBy)
				err = errors.Join(err, failed, storeMails(ctx, m, string(org), now, mails(t, to)))
			}
			return err
		}))
	}
	return err
}
