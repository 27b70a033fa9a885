package postgres_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// stored returns an organization as a change finds it.
func stored(t *testing.T, repo *postgres.Repository, org tokens.OrgID) (o tokens.Organization, err error) {
	err = repo.Change(t.Context(), org, func(tx tokens.Tx) error {
		o = tx.Organization()
		return nil
	})
	return o, err
}

func organizationComesBack(t *testing.T, repo *postgres.Repository) {
	got, err := stored(t, repo, someOrg)
	gives(t, err, nil)
	equal(t, got, tokens.Organization{ID: someOrg, Name: "Organization 0", CreatedAt: atNoon})
	_, err = stored(t, repo, unknown)
	gives(t, err, tokens.ErrNotFound)
}

func partitionsAreNoOrganizations(t *testing.T, repo *postgres.Repository) {
	token := tokens.Token{Environment: tokens.Test, Organization: tokens.Organization{ID: someOrg}}
	o := tokens.Organization{ID: token.Partition(), Name: "Usurper", CreatedAt: atNoon}
	if err := repo.CreateOrganization(t.Context(), o, fullEntry(audit.OrganizationCreated, string(o.ID))); err == nil {
		t.Errorf("%s was created", o.ID)
	}
}

func organizationIsTakenOnce(t *testing.T, repo *postgres.Repository) {
	err := repo.CreateOrganization(t.Context(),
		tokens.Organization{ID: someOrg, Name: "Usurper", CreatedAt: atNoon},
		fullEntry(audit.OrganizationCreated, string(someOrg)))
	gives(t, err, tokens.ErrExists)
	got, err := stored(t, repo, someOrg)
	gives(t, err, nil)
	equal(t, got.Name, "Organization 0")
}

func tokenComesBack(t *testing.T, repo *postgres.Repository) {
	want, digest := add(t, repo, 0)
	got, err := repo.Token(t.Context(), someOrg, want.ID)
	gives(t, err, nil)
	equal(t, got, want)
	found, stored, err := repo.FindToken(t.Context(), want.ID)
	gives(t, err, nil)
	equal(t, found, want)
	equal(t, stored, digest)

	plain, digest := newToken(t, time.Second)
	plain.IPAllow, plain.ExpiresAt = nil, time.Time{}
	plain, err = create(t, repo, someOrg, plain, digest)
	gives(t, err, nil)
	got, err = repo.Token(t.Context(), someOrg, plain.ID)
	gives(t, err, nil)
	equal(t, got, plain)
}

func tokenIsTakenOnce(t *testing.T, repo *postgres.Repository) {
	first, digest := add(t, repo, 0)
	for _, org := range []tokens.OrgID{someOrg, otherOrg} {
		_, err := create(t, repo, org, first, digest)
		gives(t, err, tokens.ErrExists)
	}
}

func tokenNeedsOrganization(t *testing.T, repo *postgres.Repository) {
	token, digest := newToken(t, 0)
	_, err := create(t, repo, unknown, token, digest)
	gives(t, err, tokens.ErrNotFound)
	_, _, err = repo.FindToken(t.Context(), token.ID)
	gives(t, err, tokens.ErrNotFound)
}

func tokensAreListed(t *testing.T, repo *postgres.Repository) {
	want := make([]tokens.Token, 4)
	for i, after := range []time.Duration{2, 0, 3, 1} {
		want[3-after], _ = add(t, repo, after*time.Second)
		if i == 0 {
			gives(t, revoke(t, repo, someOrg, want[3-after].ID, atNoon, ""), nil)
		}
	}
	got, total, err := repo.Tokens(t.Context(), someOrg, tokens.Query{}, atNoon)
	gives(t, err, nil)
	equal(t, total, 4)
	equal(t, idsOf(got), idsOf(want))
	for _, org := range []tokens.OrgID{otherOrg, unknown} {
		got, total, err = repo.Tokens(t.Context(), org, tokens.Query{}, atNoon)
		gives(t, err, nil)
		equal(t, total, 0)
		equal(t, got, []tokens.Token{})
	}
}

func otherOrganizationFindsNoToken(t *testing.T, repo *postgres.Repository) {
	token, _ := add(t, repo, 0)
	_, err := repo.Token(t.Context(), otherOrg, token.ID)
	gives(t, err, tokens.ErrNotFound)
	gives(t, revoke(t, repo, otherOrg, token.ID, atNoon, ""), tokens.ErrNotFound)
	_, err = repo.Token(t.Context(), someOrg, "tok_000000000000")
	gives(t, err, tokens.ErrNotFound)
	gives(t, revoke(t, repo, someOrg, "tok_000000000000", atNoon, ""), tokens.ErrNotFound)

	got, err := repo.Token(t.Context(), someOrg, token.ID)
	gives(t, err, nil)
	equal(t, got, token)
}

func revokingEndsOnce(t *testing.T, repo *postgres.Repository) {
	want, digest := add(t, repo, 0)
	bystander, _ := add(t, repo, 0)
	at := atNoon.Add(time.Hour)
	gives(t, revoke(t, repo, someOrg, want.ID, at, "lost"), nil)
	gives(t, revoke(t, repo, someOrg, want.ID, at.Add(time.Hour), "found"), nil)
	want.RevokedAt, want.RevokedReason, want.Revision = at, "lost", bystander.Revision+1
	got, stored, err := repo.FindToken(t.Context(), want.ID)
	gives(t, err, nil)
	equal(t, got, want)
	equal(t, stored, digest)
	got, err = repo.Token(t.Context(), someOrg, bystander.ID)
	gives(t, err, nil)
	equal(t, got, bystander)
}

func revisionsAreDense(t *testing.T, repo *postgres.Repository) {
	const n = 8
	made := make([]tokens.Token, n)
	together(n, func(i int) { made[i], _ = add(t, repo, 0) })
	together(n/2, func(i int) { gives(t, revoke(t, repo, someOrg, made[i].ID, atNoon, ""), nil) })
	all, _, err := repo.Tokens(t.Context(), someOrg, tokens.Query{}, atNoon)
	gives(t, err, nil)
	var got []int64
	for _, token := range made[:n/2] {
		got = append(got, token.Revision)
	}
	for _, token := range all {
		got = append(got, token.Revision)
	}
	slices.Sort(got)
	for i, revision := range got {
		equal(t, revision, int64(i+1))
	}
}

func resealingComparesAndSets(t *testing.T, repo *postgres.Repository) {
	token, old := add(t, repo, 0)
	sealed, late := old, old
	sealed.Version, sealed.MAC[0] = old.Version+1, old.MAC[0]+1
	late.Version = old.Version + 2
	gives(t, repo.Reseal(t.Context(), token.ID, old, sealed), nil)
	gives(t, repo.Reseal(t.Context(), token.ID, old, late), nil)
	got, stored, err := repo.FindToken(t.Context(), token.ID)
	gives(t, err, nil)
	equal(t, stored, sealed)
	equal(t, got, token)
}

func tokensAreSought(t *testing.T, repo *postgres.Repository) {
	named := func(name string, after time.Duration, end time.Time) tokens.Token {
		token, digest := newToken(t, after)
		token.Name, token.ExpiresAt = name, end
		_, err := create(t, repo, someOrg, token, digest)
		gives(t, err, nil)
		return token
	}
	b := named("beta", 0, time.Time{})
	a := named("Alphä 100%", time.Minute, atNoon.Add(48*time.Hour))
	c := named("gamma", 2*time.Minute, atNoon.Add(24*time.Hour))
	gives(t, repo.AddUsage(t.Context(), []tokens.Use{
		{Token: b.ID, LastUsedAt: atNoon}, {Token: a.ID, LastUsedAt: atNoon.Add(time.Hour)},
	}), nil)
	for _, q := range []struct {
		tokens.Query
		want string
	}{
		{tokens.Query{}, "gamma Alphä 100% beta"},
		{tokens.Query{Sort: tokens.ByName}, "Alphä 100% beta gamma"},
		{tokens.Query{Sort: tokens.ByLastUse}, "Alphä 100% beta gamma"},
		{tokens.Query{Sort: tokens.ByExpiry}, "gamma Alphä 100% beta"},
		{tokens.Query{Text: "ALPHÄ"}, "Alphä 100%"},
		{tokens.Query{Text: "0% alph"}, "Alphä 100%"},
		{tokens.Query{Text: "alph _amm"}, ""},
		{tokens.Query{Text: string(b.ID)}, "beta"},
		{tokens.Query{Text: "shpt_test_" + string(c.ID[len("tok_"):]) + "_…"}, "gamma"},
	} {
		found, total, err := repo.Tokens(t.Context(), someOrg, q.Query, atNoon)
		gives(t, err, nil)
		var names []string
		for _, token := range found {
			names = append(names, token.Name)
		}
		if got := strings.Join(names, " "); got != q.want || total != len(found) {
			t.Errorf("%+v: %d: %s, want %s", q.Query, total, got, q.want)
		}
	}
}
