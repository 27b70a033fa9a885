package postgres_test

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func changeComesBack(t *testing.T, repo *postgres.Repository) {
	want, digest := add(t, repo, 0)
	done, err := update(t, repo, someOrg, want.ID, func(got *tokens.Token) error {
		equal(t, *got, want)
		got.Name, got.Permissions, got.IPAllow = "WMS", []tokens.Permission{tokens.Admin}, nil
		got.RateLimit = tokens.RateLimit{Limit: 1, WindowSeconds: 1}
		got.ExpiresAt = time.Time{}
		return nil
	})
	gives(t, err, nil)
	equal(t, done.Revision, want.Revision+1)
	got, stored, err := repo.FindToken(t.Context(), want.ID)
	gives(t, err, nil)
	equal(t, got, done)
	equal(t, got.Name, "WMS")
	equal(t, stored, digest)

	done, err = update(t, repo, someOrg, want.ID, func(got *tokens.Token) error {
		got.IPAllow = []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
		got.ExpiresAt = atNoon.Add(time.Hour)
		return nil
	})
	gives(t, err, nil)
	again, err := repo.Token(t.Context(), someOrg, want.ID)
	gives(t, err, nil)
	equal(t, again, done)
}

func refusalChangesNothing(t *testing.T, repo *postgres.Repository) {
	want, _ := add(t, repo, 0)
	no := errors.New("no")
	_, err := update(t, repo, someOrg, want.ID, func(got *tokens.Token) error {
		got.Name = "changed"
		return no
	})
	gives(t, err, no)
	never := func(*tokens.Token) error {
		t.Error("there is no such token")
		return nil
	}
	_, err = update(t, repo, otherOrg, want.ID, never)
	gives(t, err, tokens.ErrNotFound)
	_, err = update(t, repo, unknown, want.ID, never)
	gives(t, err, tokens.ErrNotFound)
	got, err := repo.Token(t.Context(), someOrg, want.ID)
	gives(t, err, nil)
	equal(t, got, want)
	changes, upTo, _, err := repo.Changes(t.Context(), 0, 10)
	gives(t, err, nil)
	equal(t, upTo, want.Revision)
	equal(t, changes, []tokens.Change{{Revision: want.Revision, Token: want.ID, Kind: tokens.Created}})
}

func changesTakeTurns(t *testing.T, repo *postgres.Repository) {
	old, _ := add(t, repo, 0)
	errTaken := errors.New("somebody was first")
	const n = 50
	results := make([]error, n)
	together(n, func(i int) {
		results[i] = tokens.ErrUnavailable
		for errors.Is(results[i], tokens.ErrUnavailable) { // too long in the queue, on a busy machine
			_, results[i] = update(t, repo, someOrg, old.ID, func(got *tokens.Token) error {
				if got.Name != old.Name {
					return errTaken
				}
				got.Name = fmt.Sprint(i)
				return nil
			})
		}
	})
	winner := slices.Index(results, nil)
	for i, err := range results {
		if i != winner {
			gives(t, err, errTaken)
		}
	}
	got, err := repo.Token(t.Context(), someOrg, old.ID)
	gives(t, err, nil)
	equal(t, got.Name, fmt.Sprint(winner))
	changes, _, _, err := repo.Changes(t.Context(), old.Revision, 10)
	gives(t, err, nil)
	equal(t, changes, []tokens.Change{{Revision: got.Revision, Token: old.ID, Kind: tokens.Updated}})
	head, err := repo.VerifyAudit(t.Context(), string(someOrg))
	gives(t, err, nil)
	equal(t, head.Sequence, int64(3))
}

func tokensArePicked(t *testing.T, repo *postgres.Repository) {
	now := atNoon.Add(time.Hour)
	ends := map[string]time.Time{
		"lasting": {}, "far": now.Add(tokens.ExpiringWithin + 1e6),
		"near": now.Add(tokens.ExpiringWithin), "nearer": now.Add(1e6),
		"ended": now, "revoked": {}, "revoked and ended": now.Add(-1e6),
	}
	for name, end := range ends {
		token, digest := newToken(t, 0)
		token.Name, token.ExpiresAt = name, end
		_, err := create(t, repo, someOrg, token, digest)
		gives(t, err, nil)
		if name == "revoked" || name == "revoked and ended" {
			gives(t, revoke(t, repo, someOrg, token.ID, atNoon, ""), nil)
		}
	}
	for filter, want := range map[tokens.Filter]map[string]bool{
		tokens.FilterAll: {
			"lasting": true, "far": true, "near": true, "nearer": true, "ended": true,
			"revoked": true, "revoked and ended": true,
		},
		tokens.FilterActive:   {"lasting": true, "far": true, "near": true, "nearer": true},
		tokens.FilterExpiring: {"near": true, "nearer": true},
		tokens.FilterExpired:  {"ended": true},
		tokens.FilterRevoked:  {"revoked": true, "revoked and ended": true},
	} {
		got := map[string]bool{}
		for page := 1; page <= len(ends)/2+1; page++ {
			all, total, err := repo.Tokens(t.Context(), someOrg,
				tokens.Query{Filter: filter, Page: tokens.Page{Number: page, Size: 2}}, now)
			gives(t, err, nil)
			equal(t, total, len(want))
			for _, token := range all {
				got[token.Name] = true
			}
		}
		equal(t, fmt.Sprint(got), fmt.Sprint(want))
	}
}

func changesComeInOrder(t *testing.T, repo *postgres.Repository) {
	var want []tokens.Change
	for range 5 {
		token, _ := add(t, repo, 0)
		want = append(want, tokens.Change{Revision: token.Revision, Token: token.ID, Kind: tokens.Created})
	}
	gives(t, revoke(t, repo, someOrg, want[0].Token, atNoon, ""), nil)
	want = append(want, tokens.Change{Revision: 6, Token: want[0].Token, Kind: tokens.Revoked})
	for after, upTo := range map[int64]int64{-1: 3, 0: 3, 2: 5, 3: 6, 4: 6, 6: 6, 7: 6, 1 << 40: 6} {
		got, newest, _, err := repo.Changes(t.Context(), after, 3)
		gives(t, err, nil)
		equal(t, newest, upTo)
		from := min(max(after, 0), 6)
		equal(t, got, want[from:max(from, upTo)])
	}
}
