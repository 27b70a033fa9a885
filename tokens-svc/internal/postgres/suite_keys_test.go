package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// keyTakesEffectOnce for each organization and KeyLife; what fails does not use
// the key up.
func keyTakesEffectOnce(t *testing.T, repo tokens.Repository) {
	key := func(body byte, after time.Duration) *tokens.Key {
		return tokens.NewKey([32]byte{body}, repotest.Noon.Add(after), "POST /api/v1/tokens", "key")
	}
	create := func(org tokens.OrgID, k *tokens.Key) (tokens.TokenID, error) {
		token, digest := newToken(t, 0)
		_, err := repo.CreateToken(t.Context(), org, tokens.Terms{Key: k},
			creation(token, digest, fullEntry(audit.TokenCreated, string(token.ID))))
		return token.ID, err
	}
	repeats := func(err error, want tokens.TokenID) {
		t.Helper()
		if e, ok := errors.AsType[*tokens.RepeatedError](err); !ok || e.Token != want {
			t.Errorf("%v, want a repetition of %s", err, want)
		}
	}
	first, err := create(repotest.Org, key(1, 0))
	gives(t, err, nil)
	refused, err := create(repotest.Org, key(1, tokens.KeyLifetime-time.Millisecond))
	repeats(err, first)
	_, err = repo.Token(t.Context(), repotest.Org, refused)
	gives(t, err, tokens.ErrNotFound)
	_, err = create(repotest.Org, key(2, time.Hour))
	gives(t, err, tokens.ErrKeyReused)
	_, err = create(repotest.Other, key(2, 0))
	gives(t, err, nil)
	later, err := create(repotest.Org, key(2, tokens.KeyLifetime))
	gives(t, err, nil)
	_, err = create(repotest.Org, key(2, tokens.KeyLifetime+time.Hour))
	repeats(err, later)

	change := func(k *tokens.Key, step tokens.Step, result error) error {
		_, err := repo.ChangeToken(t.Context(), repotest.Org, first, tokens.Terms{Key: k},
			func(token tokens.Token) (tokens.Step, error) {
				step.Token = token
				return step, result
			})
		return err
	}
	revocation := tokens.NewKey([32]byte{}, repotest.Noon, "POST /api/v1/tokens/revoke", "key")
	gives(t, change(revocation, tokens.Step{}, tokens.ErrForbidden), tokens.ErrForbidden)
	gives(t, change(revocation, tokens.Step{}, nil), nil) // changes nothing
	repeats(change(revocation, tokens.Step{}, nil), first)
}
