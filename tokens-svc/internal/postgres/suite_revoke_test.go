package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// revocationEndsAllAtOnce: each token has its revision, its change and its event.
func revocationEndsAllAtOnce(t *testing.T, repo *postgres.Repository) {
	parent, _ := add(t, repo, 0)
	var made []tokens.TokenID
	for range 3 {
		token, digest := newToken(t, time.Second)
		token.CreatedBy = audit.Actor{Kind: audit.Token, ID: string(parent.ID)}
		_, err := create(t, repo, someOrg, token, digest)
		gives(t, err, nil)
		made = append(made, token.ID)
	}
	err := repo.Change(t.Context(), someOrg, func(tx tokens.Tx) error {
		children, err := tx.Descendants(t.Context(), parent.Lineage)
		gives(t, err, nil)
		ids := append([]tokens.TokenID{parent.ID}, idsOf(children)...)
		var entries []audit.Entry
		for _, id := range ids {
			entries = append(entries, fullEntry(audit.TokenRevoked, string(id)))
		}
		gives(t, tx.Record(t.Context(), entries...), nil)
		return tx.Revoke(t.Context(), ids, atNoon, "lost")
	})
	gives(t, err, nil)
	got, err := repo.Token(t.Context(), someOrg, parent.ID)
	gives(t, err, nil)
	equal(t, got.RevokedAt, atNoon)
	equal(t, got.Revision, int64(5))
	for _, id := range made {
		token, err := repo.Token(t.Context(), someOrg, id)
		gives(t, err, nil)
		equal(t, token.RevokedReason, "lost")
	}
	changes, upTo, _, err := repo.Changes(t.Context(), 4, 10)
	gives(t, err, nil)
	equal(t, len(changes), 4)
	equal(t, upTo, int64(8))
	equal(t, changes[0], tokens.Change{Revision: 5, Token: parent.ID, Kind: tokens.Revoked})
	head, err := repo.VerifyAudit(t.Context(), string(someOrg))
	gives(t, err, nil)
	equal(t, head.Sequence, int64(9))
}

// activeTokensAreCounted: neither revoked nor expired.
func activeTokensAreCounted(t *testing.T, repo *postgres.Repository) {
	add(t, repo, -90*24*time.Hour) // it ends at noon
	revoked, _ := add(t, repo, 0)
	gives(t, revoke(t, repo, someOrg, revoked.ID, atNoon, ""), nil)
	add(t, repo, 0)
	gives(t, repo.Change(t.Context(), someOrg, func(tx tokens.Tx) error {
		n, err := tx.Active(t.Context(), atNoon)
		equal(t, n, 1)
		return err
	}), nil)
}
