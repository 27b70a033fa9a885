package postgres_test

import (
	"errors"
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// newToken returns a token with every field, created some time after noon, and a digest.
func newToken(tb testing.TB, after time.Duration) (tokens.Token, tokens.Digest) {
	tb.Helper()
	s := tokens.Generate(tokens.Test)
	d := tokens.Digest{Version: 7}
	copy(d.MAC[:], s.Reveal())
	return tokens.Token{
		ID:           s.ID(),
		Organization: tokens.Organization{ID: someOrg, Name: "Organization 0", CreatedAt: atNoon},
		Name:         `ERP "Kraków", {1}`,
		Environment:  tokens.Test,
		Permissions:  []tokens.Permission{"documents:read", "shipments:write"},
		IPAllow:      []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")},
		RateLimit:    tokens.RateLimit{Limit: 60, WindowSeconds: 30},
		CreatedBy:    audit.Actor{Kind: audit.User, ID: "usr_1", Name: "anna@acme.example"},
		Owner:        tokens.Owner{ID: "usr_1"},
		Lineage:      s.ID(),
		CreatedAt:    atNoon.Add(after),
		ExpiresAt:    atNoon.Add(after + 90*24*time.Hour),
	}, d
}

// fill gives an organization the tokens tok_000000000001 to n.
func fill(tb testing.TB, dsn string, n int) {
	tb.Helper()
	if _, err := connect(tb, dsn).ExecContext(tb.Context(), `
		INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow, rate_limit,
			rate_window_seconds, created_at, pepper_version, mac, rev,
			created_by_kind, created_by_id, created_by_name, owner_id, lineage)
		SELECT id, $1, 'n', 'live', '{admin}', '{}', 100, 60, now(), 1, sha256('x'), n,
			'operator', '', 'command line', '', id
		FROM (SELECT n, 'tok_' || lpad(n::text, 12, '0') AS id FROM generate_series(1, $2) n) made`, someOrg, n); err != nil {
		tb.Fatal(err)
	}
}

// fullEntry returns an entry of the audit log with every member.
func fullEntry(action audit.Action, target string) audit.Entry {
	return audit.Entry{
		At: atNoon,
		Actor: audit.Actor{
			Kind: audit.User, ID: "usr_1", Name: "anna@acme.example",
			Address:   audit.Address{Addr: netip.MustParseAddr("2001:db8::1")},
			RequestID: "req_01k9x3v7t2e8sbq4m6n0pacdfh",
		},
		Action: action, Target: target, Details: map[string]string{"name": `ERP "Kraków"`},
	}
}

// create stores a token and returns it with its revision.
func create(
	tb testing.TB, repo *postgres.Repository, org tokens.OrgID, t tokens.Token, d tokens.Digest,
) (tokens.Token, error) {
	tb.Helper()
	return createOnce(tb, repo, org, nil, t, d)
}

// createOnce is create of a request with an idempotency key.
func createOnce(
	tb testing.TB, repo *postgres.Repository, org tokens.OrgID, k *tokens.Key, t tokens.Token, d tokens.Digest,
) (tokens.Token, error) {
	tb.Helper()
	known := func(tx tokens.Tx) error { return tx.CheckKey(tb.Context(), k) }
	err := repo.Change(tb.Context(), org, known, func(tx tokens.Tx) (err error) {
		err = errors.Join(tx.StoreKey(tb.Context(), k, t.ID),
			tx.Record(tb.Context(), fullEntry(audit.TokenCreated, string(t.ID))))
		if err == nil {
			t.Revision, err = tx.Insert(tb.Context(), t, d)
		}
		return err
	})
	return t, err
}

// update stores a token that edit has changed, and returns it. An error of edit changes nothing.
func update(
	tb testing.TB, repo *postgres.Repository, org tokens.OrgID, id tokens.TokenID, edit func(*tokens.Token) error,
) (t tokens.Token, err error) {
	tb.Helper()
	err = repo.Change(tb.Context(), org, func(tx tokens.Tx) (err error) {
		if t, err = tx.Token(tb.Context(), id); err != nil {
			return err
		}
		if err := edit(&t); err != nil {
			return err
		}
		if err := tx.Record(tb.Context(), fullEntry(audit.TokenUpdated, string(id))); err != nil {
			return err
		}
		t.Revision, err = tx.Update(tb.Context(), t, tokens.Updated)
		return err
	})
	return t, err
}

// The organizations of the tests, and when their tokens are created.
const (
	someOrg  tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	otherOrg tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

var atNoon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)
