package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// revocationEndsAllAtOnce: each token has its revision, its change and its event.
func revocationEndsAllAtOnce(t *testing.T, repo tokens.Repository) {
	parent, _ := add(t, repo, 0)
	var made []tokens.TokenID
	for range 3 {
		token, digest := newToken(t, time.Second)
		token.CreatedBy = audit.Actor{Kind: audit.Token, ID: string(parent.ID)}
		_, err := repo.CreateToken(t.Context(), repotest.Org, tokens.Terms{},
			creation(token, digest, fullEntry(audit.TokenCreated, string(token.ID))))
		gives(t, err, nil)
		made = append(made, token.ID)
	}
	got, err := repo.RevokeTokens(t.Context(), repotest.Org, parent.ID, true, tokens.Terms{},
		func(token tokens.Token, children []tokens.Token) (tokens.Revocation, error) {
			r := tokens.Revocation{
				Tokens: append([]tokens.TokenID{token.ID}, tokens.IDs(children)...),
				At:     repotest.Noon, Reason: "lost",
			}
			for _, id := range r.Tokens {
				r.Entries = append(r.Entries, fullEntry(audit.TokenRevoked, string(id)))
			}
			return r, nil
		})
	gives(t, err, nil)
	equal(t, got.RevokedAt, repotest.Noon)
	equal(t, got.Revision, int64(5))
	for _, id := range made {
		token, err := repo.Token(t.Context(), repotest.Org, id)
		gives(t, err, nil)
		equal(t, token.RevokedReason, "lost")
	}
	changes, upTo, _, err := repo.Changes(t.Context(), 4, 10)
	gives(t, err, nil)
	equal(t, len(changes), 4)
	equal(t, upTo, int64(8))
	equal(t, changes[0], tokens.Change{Revision: 5, Token: parent.ID, Kind: tokens.Revoked})
	head, err := repo.VerifyAudit(t.Context(), string(repotest.Org))
	gives(t, err, nil)
	equal(t, head.Sequence, int64(9))
}

// activeTokensHaveAMaximum, to which those that have ended do not count, and which a
// rotation that leaves no overlap does not exceed.
func activeTokensHaveAMaximum(t *testing.T, repo tokens.Repository) {
	add(t, repo, -90*24*time.Hour) // it ends at noon
	revoked, _ := add(t, repo, 0)
	gives(t, revoke(t, repo, repotest.Org, revoked.ID, repotest.Noon, ""), nil)
	first, firstDigest := newToken(t, 0)
	token, digest := newToken(t, 0)
	terms := tokens.Terms{MaxActive: 1}
	_, err := repo.CreateToken(t.Context(), repotest.Org, terms,
		creation(first, firstDigest, fullEntry(audit.TokenCreated, string(first.ID))))
	gives(t, err, nil)
	_, err = repo.CreateToken(t.Context(), repotest.Org, terms,
		creation(token, digest, fullEntry(audit.TokenCreated, string(token.ID))))
	if tooMany, ok := errors.AsType[*tokens.TooManyError](err); !ok || tooMany.Max != 1 {
		t.Errorf("a second token: %v", err)
	}
	rotate := func(end time.Time) error {
		_, err := repo.ChangeToken(t.Context(), repotest.Org, first.ID, terms, func(old tokens.Token) (tokens.Step, error) {
			next, digest := newToken(t, 0)
			next.RotatedFrom, old.RotatedTo, old.ExpiresAt = old.ID, next.ID, end
			return tokens.Step{
				Kind: tokens.Rotated, Token: old, Successor: next, Digest: digest,
				Entry: fullEntry(audit.TokenRotated, string(old.ID)),
			}, nil
		})
		return err
	}
	if _, ok := errors.AsType[*tokens.TooManyError](rotate(repotest.Noon.Add(time.Hour))); !ok {
		t.Error("a rotation with an overlap exceeds the maximum")
	}
	gives(t, rotate(repotest.Noon), nil)
}

// changesAreAdmittedUnderTheLock: Admit gets the calling token, or the person's role,
// and its refusal leaves nothing.
func changesAreAdmittedUnderTheLock(t *testing.T, repo tokens.Repository) {
	caller, _ := add(t, repo, 0)
	no := errors.New("no")
	for _, terms := range []tokens.Terms{
		{Caller: caller.ID, Admit: func(now tokens.Standing) error { equal(t, now.Token, caller); return no }},
		{Person: "usr_1", Admit: func(now tokens.Standing) error { equal(t, now.Role, tokens.Role("")); return no }},
	} {
		token, digest := newToken(t, 0)
		_, err := repo.CreateToken(t.Context(), repotest.Org, terms,
			creation(token, digest, fullEntry(audit.TokenCreated, string(token.ID))))
		gives(t, err, no)
		_, err = repo.ChangeToken(t.Context(), repotest.Org, caller.ID, terms, nil)
		gives(t, err, no)
		_, err = repo.RevokeTokens(t.Context(), repotest.Org, caller.ID, false, terms, nil)
		gives(t, err, no)
	}
}
