package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// keyTakesEffectOnce for each organization and KeyLifetime; what fails does not use
// the key up.
func keyTakesEffectOnce(t *testing.T, repo *postgres.Repository) {
	key := func(body byte, after time.Duration) *tokens.Key {
		return tokens.NewKey([32]byte{body}, atNoon.Add(after), "POST /api/v1/tokens", "key")
	}
	create := func(org tokens.OrgID, k *tokens.Key) (tokens.TokenID, error) {
		token, digest := newToken(t, 0)
		_, err := createOnce(t, repo, org, k, token, digest)
		return token.ID, err
	}
	repeats := func(err error, want tokens.TokenID) {
		t.Helper()
		if e, ok := errors.AsType[*tokens.RepeatedError](err); !ok || e.Token != want {
			t.Errorf("%v, want a repetition of %s", err, want)
		}
	}
	first, err := create(someOrg, key(1, 0))
	gives(t, err, nil)
	refused, err := create(someOrg, key(1, tokens.KeyLifetime-time.Millisecond))
	repeats(err, first)
	_, err = repo.Token(t.Context(), someOrg, refused)
	gives(t, err, tokens.ErrNotFound)
	_, err = create(someOrg, key(2, time.Hour))
	gives(t, err, tokens.ErrKeyReused)
	_, err = create(otherOrg, key(2, 0))
	gives(t, err, nil)
	later, err := create(someOrg, key(2, tokens.KeyLifetime))
	gives(t, err, nil)
	_, err = create(someOrg, key(2, tokens.KeyLifetime+time.Hour))
	repeats(err, later)

	change := func(k *tokens.Key, result error) error {
		known := func(tx tokens.Tx) error { return tx.CheckKey(t.Context(), k) }
		return repo.Change(t.Context(), someOrg, known, func(tx tokens.Tx) error {
			return errors.Join(tx.StoreKey(t.Context(), k, first), result)
		})
	}
	revocation := tokens.NewKey([32]byte{}, atNoon, "POST /api/v1/tokens/revoke", "key")
	gives(t, change(revocation, tokens.ErrForbidden), tokens.ErrForbidden)
	gives(t, change(revocation, nil), nil) // changes nothing
	repeats(change(revocation, nil), first)
}
