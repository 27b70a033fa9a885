package postgres

import (
	"cmp"
	"context"
	"net/netip"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"github.com/quayside/quayside/gateway/servicekit/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// selectTokens is completed by a condition. Every way to it begins with the
// primary key of api_tokens or with its organization's index.
const selectTokens = `
	SELECT
	       t.id, o.id AS "organization.id", o.name AS "organization.name", o.created_at AS "organization.created_at",
	       t.name, t.environment, t.permissions, t.ip_allow, t.rate_limit AS "rate_limit.limit",
	       t.rate_window_seconds AS "rate_limit.window_seconds",
	       t.created_by_kind AS "created_by.kind", t.created_by_id AS "created_by.id",
	       t.created_by_name AS "created_by.name",
	       t.owner_id AS "owner.id", coalesce(u.email, '') AS "owner.name", coalesce(m.role, '') AS "owner.role",
	       t.lineage,
	       t.created_at, coalesce(t.expires_at, ` + never + `) AS expires_at,
	       coalesce(t.revoked_at, ` + never + `) AS revoked_at, t.revoked_reason,
	       coalesce(t.rotated_from, '') AS rotated_from,
	       t.rotated_by_kind AS "rotated_by.kind", t.rotated_by_id AS "rotated_by.id",
	       t.rotated_by_name AS "rotated_by.name",
	       coalesce(t.rotated_to, '') AS rotated_to, t.pepper_version, t.mac, t.rev AS revision
	FROM api_tokens t
	JOIN organizations o ON o.id = t.organization_id
	LEFT JOIN users u ON u.id = t.owner_id
	LEFT JOIN memberships m
		ON m.organization_id = t.organization_id AND m.user_id = t.owner_id AND u.disabled_at IS NULL `

// Token implements tokens.Repository.
func (r *Repository) Token(ctx context.Context, org tokens.OrgID, id tokens.TokenID) (tokens.Token, error) {
	row, err := getRow[tokenRow](ctx, r.db, selectTokens+`WHERE t.organization_id = $1 AND t.id = $2`, org, id)
	return row.token(), err
}

// FindToken implements tokens.Repository.
func (r *Repository) FindToken(ctx context.Context, id tokens.TokenID) (tokens.Token, tokens.Digest, error) {
	row, err := getRow[tokenRow](ctx, r.db, selectTokens+`WHERE t.id = $1`, id)
	digest := tokens.Digest{Version: row.PepperVersion}
	copy(digest.MAC[:], row.MAC) // of another length, it is not ours
	return row.token(), digest, err
}

// filters are the conditions of tokens.Filter. An organization's tokens are few
// enough to be read by its index and then picked.
var filters = map[tokens.Filter]string{
	tokens.FilterAll:    ` AND $2::timestamptz IS NOT NULL`,
	tokens.FilterActive: ` AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > $2)`,
	tokens.FilterExpiring: ` AND t.revoked_at IS NULL AND t.expires_at > $2
		AND t.expires_at <= $2::timestamptz + interval '7 days'`,
	tokens.FilterExpired: ` AND t.revoked_at IS NULL AND t.expires_at <= $2`,
	tokens.FilterRevoked: ` AND t.revoked_at IS NOT NULL AND $2::timestamptz IS NOT NULL`,
}

// orders are those of tokens.Sort.
var orders = map[tokens.Sort]string{
	tokens.ByCreation: `t.created_at DESC`,
	tokens.ByName:     `lower(t.name), t.created_at DESC`,
	tokens.ByLastUse: `(SELECT last_used_at FROM token_usage WHERE token_id = t.id ORDER BY hour DESC LIMIT 1)
		DESC NULLS LAST, t.created_at DESC`,
	tokens.ByExpiry: `t.expires_at NULLS LAST, t.created_at DESC`,
}

// Tokens implements tokens.Repository. Each word is looked for in the name and in what tokens.Scrub leaves of a token.
func (r *Repository) Tokens(
	ctx context.Context, org tokens.OrgID, q tokens.Query, now time.Time,
) ([]tokens.Token, int, error) {
	release, err := r.acquire(ctx, org)
	if err != nil {
		return nil, 0, translate(err)
	}
	defer release()
	condition := `WHERE t.organization_id = $1` + filters[cmp.Or(q.Filter, tokens.FilterAll)] +
		` AND ($3::text = '' OR t.environment = $3) AND lower(concat_ws(' ', t.name COLLATE "default", t.id,
			'shpt_' || t.environment || '_' || substr(t.id, 5) || '_…')) LIKE ALL (lower($4)::text[])`
	words := likeWords(q.Text)
	total, err := getRow[int](ctx, r.db, `SELECT count(*) FROM api_tokens t `+condition, org, now, q.Environment, words)
	if err != nil {
		return nil, 0, err
	}
	all, err := listTokens(ctx, r.db,
		selectTokens+condition+` ORDER BY `+orders[q.Sort]+`, t.id DESC LIMIT $5 OFFSET $6`,
		org, now, q.Environment, words, null(q.Page.Size), q.Page.Offset())
	return all, total, err
}

// likeWords returns a pattern of LIKE for each word of a text. ILIKE would lower the text that is searched for each.
func likeWords(text string) pq.StringArray {
	all := strings.Fields(postgres.LikeText.Replace(text))
	for i, word := range all {
		all[i] = "%" + word + "%"
	}
	return all
}

func listTokens(ctx context.Context, db sqlx.QueryerContext, query string, args ...any) ([]tokens.Token, error) {
	rows, err := getRows[tokenRow](ctx, db, query, args...)
	all := make([]tokens.Token, len(rows))
	for i, row := range rows {
		all[i] = row.token()
	}
	return all, err
}

// Descendants implements tokens.Repository.
func (r *Repository) Descendants(
	ctx context.Context, org tokens.OrgID, lineage tokens.TokenID,
) ([]tokens.Token, error) {
	release, err := r.acquire(ctx, org)
	if err != nil {
		return nil, translate(err)
	}
	defer release()
	return descendants(ctx, r.db, org, lineage)
}

// descendants returns the Descendants of the tokens of a lineage.
func descendants(
	ctx context.Context, db sqlx.QueryerContext, org tokens.OrgID, lineage tokens.TokenID,
) ([]tokens.Token, error) {
	return listTokens(ctx, db, `
		WITH RECURSIVE makers (maker, id) AS (
			SELECT created_by_id, id FROM api_tokens WHERE organization_id = $1 AND created_by_kind = 'token'
			UNION
			SELECT rotated_by_id, id FROM api_tokens WHERE organization_id = $1 AND rotated_by_kind = 'token'
		), made (id) AS (
			SELECT id FROM api_tokens WHERE organization_id = $1 AND lineage = $2
			UNION
			SELECT m.id FROM makers m JOIN made ON made.id = m.maker
		)`+selectTokens+`WHERE t.id IN (SELECT id FROM made) AND t.lineage <> $2 ORDER BY t.created_at, t.id`,
		org, lineage)
}

// Reseal implements tokens.Repository.
func (r *Repository) Reseal(ctx context.Context, id tokens.TokenID, old, sealed tokens.Digest) error {
	return exec(ctx, r.db, `
		UPDATE api_tokens SET pepper_version = $2, mac = $3
		WHERE id = $1 AND pepper_version = $4 AND mac = $5`,
		id, sealed.Version, sealed.MAC[:], old.Version, old.MAC[:])
}

// tokenRow is a row of selectTokens: a token, and what of it is converted.
type tokenRow struct {
	tokens.Token
	Permissions   pq.StringArray
	IPAllow       prefixes
	PepperVersion int
	MAC           []byte
}

func (r tokenRow) token() tokens.Token {
	t := r.Token
	for _, p := range r.Permissions {
		t.Permissions = append(t.Permissions, tokens.Permission(p))
	}
	t.IPAllow = r.IPAllow
	return t
}

// prefixes is an array of cidr.
type prefixes []netip.Prefix

// Scan implements sql.Scanner.
func (p *prefixes) Scan(src any) error {
	var texts pq.StringArray
	err := texts.Scan(src)
	*p = make(prefixes, len(texts))
	for i, text := range texts {
		if err == nil {
			(*p)[i], err = netip.ParsePrefix(text)
		}
	}
	return err
}

// NeededPeppers returns the versions of the pepper that tokens need which are neither revoked nor expired. Of each it
// reads the row of the index that comes last, where tokens lie that do not expire, however many there are.
func (r *Repository) NeededPeppers(ctx context.Context) ([]int, error) {
	return getRows[int](ctx, r.db, `
		WITH RECURSIVE versions (version) AS (
			SELECT min(pepper_version) FROM api_tokens WHERE revoked_at IS NULL
			UNION ALL
			SELECT (SELECT min(pepper_version) FROM api_tokens WHERE revoked_at IS NULL AND pepper_version > version)
			FROM versions WHERE version IS NOT NULL
		)
		SELECT version FROM versions WHERE (
			SELECT coalesce(expires_at, 'infinity') FROM api_tokens
			WHERE revoked_at IS NULL AND pepper_version = version ORDER BY expires_at DESC LIMIT 1
		) > now()`)
}
