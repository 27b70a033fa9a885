package postgres_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

const (
	anna  people.UserID = "usr_01k9x3v7t2e8sbq4m6n0pacdfg"
	boris people.UserID = "usr_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// TestRoleChangeAppliesToExistingTokens and tells everybody who follows the changes,
// of each of the person's live tokens in that organization and of no other.
func TestRoleChangeAppliesToExistingTokens(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo := open(t, dsn)
	organization(t, repo)
	db, err := postgres.Open(dsn, postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	members := postgres.NewPeople(db, repotest.AuditKeys())
	join := func(id people.UserID, role tokens.Role) {
		t.Helper()
		u := people.User{ID: id, Email: string(id) + "@acme.example", CreatedAt: repotest.Noon}
		if _, err := members.Admit(t.Context(), people.Admission{Organization: repotest.Org, User: u, Role: role, Existing: people.RequireVerified, Entry: fullEntry(audit.MemberJoined, "")}); err != nil {
			t.Fatal(err)
		}
	}
	join(anna, tokens.RoleAdmin)
	join(boris, tokens.RoleOwner)
	store := func(owner people.UserID) tokens.TokenID {
		t.Helper()
		token, digest := newToken(t, 0)
		token.Owner, token.Permissions, token.ExpiresAt = tokens.Owner{ID: string(owner)}, []tokens.Permission{tokens.Admin}, repotest.Noon.AddDate(100, 0, 0)
		if _, err := repo.CreateToken(t.Context(), repotest.Org, token, digest, nil, fullEntry(audit.TokenCreated, string(token.ID))); err != nil {
			t.Fatal(err)
		}
		return token.ID
	}
	hers := []tokens.TokenID{store(anna), store(anna), store(anna)}
	his, nobodys := store(boris), store("")
	revoked := store(anna)
	if _, err := db.ExecContext(t.Context(), `UPDATE api_tokens SET revoked_at = now() WHERE id = $1`, revoked); err != nil {
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
		{tokens.RoleMember, []tokens.Permission{"documents:read", "documents:write", "shipments:read", "shipments:write"}},
		{tokens.RoleAuditor, nil},
		{tokens.RoleOwner, catalogue.All()},
		{"", nil},
	} {
		_, before, _, err := repo.Changes(t.Context(), 1<<40, 100)
		if err != nil {
			t.Fatal(err)
		}
		err = members.ChangeMember(t.Context(), repotest.Org, anna, func(people.Member, int) (tokens.Role, audit.Entry, error) {
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
			if want := (tokens.Change{Revision: before + int64(i) + 1, Token: id, Kind: tokens.Updated}); changes[i] != want || token.Revision != want.Revision {
				t.Errorf("as %q: sent %+v, at revision %d, want %+v", step.to, changes[i], token.Revision, want)
			}
		}
		for _, id := range []tokens.TokenID{his, nobodys} {
			if token, _, err := repo.FindToken(t.Context(), id); err != nil || !slices.Equal(catalogue.Effective(token), catalogue.All()) {
				t.Errorf("%s: %v, %v", id, catalogue.Effective(token), err)
			}
		}
	}
	join(anna, tokens.RoleMember)
	for _, disabled := range []time.Time{repotest.Noon, {}} {
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
		if err != nil || found != nil || len(changes) != 3 || (len(catalogue.Effective(token)) == 0) == disabled.IsZero() {
			t.Errorf("disabled at %s: sent %v; it may %v; %v, %v", disabled, changes, catalogue.Effective(token), err, found)
		}
	}
	if token, _, err := repo.FindToken(t.Context(), hers[0]); err != nil || len(catalogue.Effective(token)) != 4 || token.Owner.Name == "" {
		t.Errorf("who is back: %+v, %v", token, err)
	}
}

// TestTokensOfThePreviousVersionAreCompleted: those that it stored before the
// migration, and those that it stores while both versions run.
func TestTokensOfThePreviousVersionAreCompleted(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo := open(t, dsn)
	db := connect(t, dsn)
	insert := func(id, kind, by, from string) {
		t.Helper()
		_, err := db.ExecContext(t.Context(), `
			INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow, rate_limit, rate_window_seconds,
				created_at, created_by_kind, created_by_id, rotated_from, pepper_version, mac, rev)
			SELECT 'tok_00000000000' || $1, $2, 'n', 'live', '{admin}', '{}', 1, 1, now(), $3, $4, 'tok_00000000000' || nullif($5, ''), 1, sha256('x'),
				1 + count(*) FROM api_tokens`, id, repotest.Org, kind, by, from)
		if err != nil {
			t.Fatal(err)
		}
	}
	migrate := func(direction string, times int) {
		t.Helper()
		for range times {
			if err := postgres.Migrate(t.Context(), postgrestest.Direct(dsn), direction, &bytes.Buffer{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	check := func(when string, ids ...string) {
		t.Helper()
		for _, id := range ids {
			token, _, err := repo.FindToken(context.WithoutCancel(t.Context()), tokens.TokenID("tok_00000000000"+id))
			want := map[string]struct{ lineage, owner string }{
				"1": {"1", "usr_1"}, "2": {"1", "usr_1"}, "3": {"1", "usr_1"}, "4": {"4", "usr_1"}, "5": {"4", "usr_1"},
				"6": {"6", ""}, "7": {"7", ""}, "8": {"1", "usr_1"}, "9": {"9", "usr_1"},
			}[id]
			if err != nil || string(token.Lineage) != "tok_00000000000"+want.lineage || token.Owner.ID != want.owner {
				t.Errorf("%s, %s: lineage %s, owner %+v, %v", when, id, token.Lineage, token.Owner, err)
			}
		}
	}
	migrate("down", 7) // to 00008, before tokens had an owner and a lineage
	if _, err := db.ExecContext(t.Context(), `INSERT INTO organizations (id, name, created_at) VALUES ($1, 'Acme', now())`, repotest.Org); err != nil {
		t.Fatal(err)
	}
	insert("1", "user", "usr_1", "")
	insert("2", "user", "usr_1", "1")
	insert("3", "user", "usr_1", "2")
	insert("4", "token", "tok_000000000003", "")
	insert("5", "token", "tok_000000000003", "4")
	insert("6", "operator", "", "")
	insert("7", "token", "tok_000000000006", "")
	migrate("up", 1)
	check("after the migration", "1", "2", "3", "4", "5", "6", "7")
	insert("8", "user", "usr_1", "3")
	insert("9", "token", "tok_000000000005", "")
	check("beside this version", "8", "9")
	if _, err := db.ExecContext(t.Context(), `INSERT INTO organizations (id, name, created_at) VALUES ($1, 'Other', now())`, repotest.Other); err != nil {
		t.Fatal(err)
	}
	var partitions int
	if err := db.QueryRowContext(t.Context(), `SELECT count(DISTINCT test_id) FROM organizations WHERE test_id NOT IN (SELECT id FROM organizations)`).Scan(&partitions); err != nil || partitions != 2 {
		t.Errorf("%d partitions, %v", partitions, err)
	}
}
