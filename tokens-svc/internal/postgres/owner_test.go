package postgres_test

import (
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

const (
	anna  people.UserID = "usr_01k9x3v7t2e8sbq4m6n0pacdfg"
	boris people.UserID = "usr_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// TestRoleChangeAppliesToExistingTokens and tells everybody who follows the changes,
// of each of the person's live tokens in that organization and of no other.
func TestRoleChangeAppliesToExistingTokens(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	organization(t, repo)
	db, err := postgres.Open(as(t, dsn), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	members := postgres.NewRepository(db)
	join := func(id people.UserID, role tokens.Role) {
		t.Helper()
		u := people.User{ID: id, Email: string(id) + "@acme.example", CreatedAt: atNoon, VerifiedAt: atNoon}
		if _, _, err := members.Admit(t.Context(),
			people.Admission{
				Organization: someOrg, User: u, Role: role,
				Entry: fullEntry(audit.MemberJoined, ""),
			}); err != nil {
			t.Fatal(err)
		}
	}
	join(anna, tokens.RoleAdmin)
	join(boris, tokens.RoleOwner)
	store := func(owner people.UserID) tokens.TokenID {
		t.Helper()
		token, digest := newToken(t, 0)
		token.Owner, token.Permissions, token.ExpiresAt = tokens.Owner{ID: string(owner)},
			[]tokens.Permission{tokens.Admin},
			atNoon.AddDate(100, 0, 0)
		if _, err := create(t, repo, someOrg, token, digest); err != nil {
			t.Fatal(err)
		}
		return token.ID
	}
	hers := []tokens.TokenID{store(anna), store(anna), store(anna)}
	his, nobodys := store(boris), store("")
	revoked := store(anna)
	if _, err := db.ExecContext(t.Context(),
		`UPDATE api_tokens SET revoked_at = now() WHERE id = $1`, revoked); err != nil {
		t.Fatal(err)
	}
	slices.Sort(hers)
	catalogue, err := tokens.NewCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		to   tokens.Role
		want []tokens.Permission
	}{
		{tokens.RoleMember, []tokens.Permission{
			"documents:read", "documents:write", "shipments:read",
			"shipments:write",
		}},
		{tokens.RoleAuditor, nil},
		{tokens.RoleOwner, catalogue.All()},
		{"", nil},
	} {
		_, before, _, err := repo.Changes(t.Context(), 1<<40, 100)
		if err != nil {
			t.Fatal(err)
		}
		err = members.ChangeMember(t.Context(), someOrg, anna, audit.CommandLine,
			func(tokens.Role, people.Member, int) (tokens.Role, audit.Entry, error) {
				return step.to, fullEntry(audit.MemberRoleChanged, string(anna)), nil
			})
		if err != nil {
			t.Fatal(err)
		}
		changes, upTo, _, err := repo.Changes(t.Context(), before, 100)
		if err != nil || upTo != before+3 || len(changes) != 3 {
			t.Fatalf("as %q: %v up to %d, %v; want three after %d", step.to, changes, upTo, err, before)
		}
		for i, id := range hers {
			token, _, err := repo.FindToken(t.Context(), id)
			if err != nil || !slices.Equal(catalogue.Effective(token), step.want) {
				t.Errorf("as %q: %v, %v, want %v", step.to, catalogue.Effective(token), err, step.want)
			}
			if want := (tokens.Change{
				Revision: before + int64(i) + 1, Token: id,
				Kind: tokens.Updated,
			}); changes[i] != want ||
				token.Revision != want.Revision {
				t.Errorf("as %q: sent %+v, at revision %d, want %+v", step.to, changes[i], token.Revision, want)
			}
		}
		for _, id := range []tokens.TokenID{his, nobodys} {
			if token, _, err := repo.FindToken(t.Context(), id); err != nil ||
				!slices.Equal(catalogue.Effective(token), catalogue.All()) {
				t.Errorf("%s: %v, %v", id, catalogue.Effective(token), err)
			}
		}
	}
	join(anna, tokens.RoleMember)
	for _, disabled := range []time.Time{atNoon, {}} {
		_, before, _, err := repo.Changes(t.Context(), 1<<40, 100)
		if err != nil {
			t.Fatal(err)
		}
		_, err = members.ChangeAccount(t.Context(), anna, func(a *people.Account) (audit.Entry, error) {
			a.DisabledAt = disabled
			return fullEntry(audit.UserDisabled, string(anna)), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		changes, _, _, err := repo.Changes(t.Context(), before, 100)
		token, _, found := repo.FindToken(t.Context(), hers[0])
		if err != nil || found != nil || len(changes) != 3 ||
			(len(catalogue.Effective(token)) == 0) == disabled.IsZero() {
			t.Errorf("disabled at %s: sent %v; it may %v; %v, %v", disabled, changes, catalogue.Effective(token), err,
				found)
		}
	}
	if token, _, err := repo.FindToken(t.Context(), hers[0]); err != nil ||
		len(catalogue.Effective(token)) != 4 || token.Owner.Name == "" {
		t.Errorf("who is back: %+v, %v", token, err)
	}
}
