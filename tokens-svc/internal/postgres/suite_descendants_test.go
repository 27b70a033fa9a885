package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func descendantsAreFound(t *testing.T, repo *postgres.Repository) {
	after := time.Duration(0)
	made := func(by *tokens.Token, lineage tokens.TokenID) *tokens.Token {
		after += time.Second
		token, digest := newToken(t, after)
		if by != nil {
			token.CreatedBy = audit.Actor{Kind: audit.Token, ID: string(by.ID), Name: by.Name}
		}
		if lineage != "" {
			token.Lineage = lineage
		}
		_, err := create(t, repo, someOrg, token, digest)
		gives(t, err, nil)
		return &token
	}
	parent := made(nil, "")
	successor := made(nil, parent.ID)
	made(made(nil, ""), "") // another's
	var want []tokens.TokenID
	for _, by := range []*tokens.Token{parent, successor} {
		child := made(by, "")
		want = append(want, child.ID, made(child, "").ID)
	}
	other, digest := newToken(t, time.Hour)
	other.RotatedBy = audit.Actor{Kind: audit.Token, ID: string(parent.ID)}
	_, err := create(t, repo, someOrg, other, digest)
	gives(t, err, nil)
	want = append(want, other.ID)
	equal(t, successor.Lineage, parent.Lineage)
	got, err := repo.Descendants(t.Context(), someOrg, parent.Lineage)
	gives(t, err, nil)
	equal(t, idsOf(got), want)
	none, err := repo.Descendants(t.Context(), someOrg, want[len(want)-1])
	gives(t, err, nil)
	equal(t, len(none), 0)
	none, err = repo.Descendants(t.Context(), otherOrg, parent.Lineage)
	gives(t, err, nil)
	equal(t, len(none), 0)
}

func idsOf(all []tokens.Token) (ids []tokens.TokenID) {
	for _, t := range all {
		ids = append(ids, t.ID)
	}
	return ids
}
