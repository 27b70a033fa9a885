package postgres_test

import (
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// membership returns a person's in an organization, or tokens.ErrNotFound.
func membership(t *testing.T, s peopleStore, org tokens.OrgID, id people.UserID) (people.Membership, error) {
	t.Helper()
	all, err := s.Memberships(t.Context(), id)
	for _, m := range all {
		if m.Organization.ID == org {
			return m, err
		}
	}
	return people.Membership{}, errors.Join(err, tokens.ErrNotFound)
}

func membershipsAreListed(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Other, "anna@acme.example", tokens.RoleMember)
	admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleOwner)
	admit(t, s, repotest.Org, "aaron@acme.example", tokens.RoleAuditor)
	all, err := s.Memberships(t.Context(), u.ID)
	gives(t, err, nil)
	equal(t, len(all), 2)
	equal(t, []tokens.OrgID{all[0].Organization.ID, all[1].Organization.ID}, []tokens.OrgID{repotest.Org, repotest.Other})
	equal(t, all[0].Role, tokens.RoleOwner)
	members, err := s.Members(t.Context(), repotest.Org)
	gives(t, err, nil)
	equal(t, []string{members[0].Email, members[1].Email}, []string{"aaron@acme.example", "anna@acme.example"})
}

func otherOrganizationFindsNothing(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleOwner)
	for _, org := range []tokens.OrgID{repotest.Other, unknown} {
		_, err := membership(t, s, org, u.ID)
		gives(t, err, tokens.ErrNotFound)
		members, err := s.Members(t.Context(), org)
		gives(t, err, nil)
		equal(t, members, []people.Member{})
		err = s.ChangeMember(t.Context(), org, u.ID, func(people.Member, int) (tokens.Role, audit.Entry, error) {
			t.Error("it was asked what to do")
			return "", audit.Entry{}, nil
		})
		gives(t, err, tokens.ErrNotFound)
	}
	i := invite(t, s, repotest.Org, "bert@acme.example", "code")
	gives(t, s.Withdraw(t.Context(), repotest.Other, i.ID, entry(audit.InvitationWithdrawn, string(i.ID))), tokens.ErrNotFound)
	equal(t, s.Events(t, repotest.Other), 0)
}

func decisionIsDone(t *testing.T, s peopleStore) {
	owner := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleOwner)
	u := admit(t, s, repotest.Org, "bert@acme.example", tokens.RoleMember)
	refused := errors.New("refused")
	for _, step := range []struct {
		client, to tokens.Role
		err        error
		events     int
	}{
		{tokens.RoleMember, tokens.RoleAdmin, nil, 3},
		{tokens.RoleAdmin, tokens.RoleAdmin, nil, 3},
		{tokens.RoleAdmin, tokens.RoleOwner, refused, 3},
		{tokens.RoleAdmin, "", nil, 4},
	} {
		err := s.ChangeMember(t.Context(), repotest.Org, u.ID, func(now people.Member, owners int) (tokens.Role, audit.Entry, error) {
			equal(t, now, people.Member{User: u, Role: step.client, JoinedAt: repotest.Noon})
			equal(t, owners, 1)
			return step.to, entry(audit.MemberRoleChanged, string(u.ID)), step.err
		})
		gives(t, err, step.err)
		equal(t, s.Events(t, repotest.Org), step.events)
	}
	_, err := membership(t, s, repotest.Org, u.ID)
	gives(t, err, tokens.ErrNotFound)
	_, err = s.User(t.Context(), u.ID)
	gives(t, err, nil)
	_, err = membership(t, s, repotest.Org, owner.ID)
	gives(t, err, nil)
}

func lastOwnerRemains(t *testing.T, s peopleStore) {
	users := []people.User{
		admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleOwner), admit(t, s, repotest.Org, "bert@acme.example", tokens.RoleOwner),
	}
	lonely := errors.New("the last one")
	results := make([]error, len(users))
	together(len(users), func(i int) {
		results[i] = s.ChangeMember(t.Context(), repotest.Org, users[i].ID, func(_ people.Member, owners int) (tokens.Role, audit.Entry, error) {
			if owners == 1 {
				return "", audit.Entry{}, lonely
			}
			return tokens.RoleMember, entry(audit.MemberRoleChanged, string(users[i].ID)), nil
		})
	})
	if errors.Is(results[0], lonely) == errors.Is(results[1], lonely) {
		t.Errorf("%v, %v", results[0], results[1])
	}
}
