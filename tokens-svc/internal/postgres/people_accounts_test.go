package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// unverified returns an account that an invitation to Org made.
func unverified(t *testing.T, s peopleStore, email string) people.User {
	t.Helper()
	admitted, err := s.Admit(t.Context(), people.Admission{
		Organization: repotest.Org, User: newUser(email), Role: tokens.RoleMember, Password: "hash of " + email,
		Invitation: invite(t, s, repotest.Org, email, "code").ID, Entry: entry(audit.MemberJoined, ""),
	})
	gives(t, err, nil)
	if !admitted.Made || !admitted.VerifiedAt.IsZero() {
		t.Errorf("%+v", admitted)
	}
	return admitted.User
}

func unverifiedJoinsNothingElse(t *testing.T, s peopleStore) {
	u := unverified(t, s, "anna@acme.example")
	join := people.Admission{
		Organization: repotest.Other, User: u, Role: tokens.RoleOwner, Existing: people.RequireVerified, Entry: entry(audit.MemberJoined, ""),
	}
	_, err := s.Admit(t.Context(), join)
	gives(t, err, people.ErrAccountUnverified)
	invitation := invite(t, s, repotest.Other, u.Email, "code")
	join.Invitation = invitation.ID
	_, err = s.Admit(t.Context(), join)
	gives(t, err, people.ErrAccountUnverified)
	join.Existing = people.RefuseExisting
	join.User = newUser(u.Email)
	_, err = s.Admit(t.Context(), join)
	gives(t, err, tokens.ErrExists)
	open, err := s.Invitations(t.Context(), repotest.Other, repotest.Noon)
	gives(t, err, nil)
	equal(t, open, []people.Invitation{invitation})
	_, err = membership(t, s, repotest.Other, u.ID)
	gives(t, err, tokens.ErrNotFound)
	equal(t, s.Events(t, repotest.Other), 1)

	bert := admit(t, s, repotest.Other, "bert@acme.example", tokens.RoleOwner)
	admit(t, s, repotest.Org, "bert@acme.example", tokens.RoleAuditor)
	listed, err := s.Users(t.Context())
	gives(t, err, nil)
	equal(t, listed, []people.Listed{
		{User: u, Organizations: []string{string(repotest.Org) + ":member"}},
		{User: bert, Organizations: []string{string(repotest.Org) + ":auditor", string(repotest.Other) + ":owner"}},
	})

	join = people.Admission{
		Organization: repotest.Org, User: u, Role: tokens.RoleOwner, Existing: people.RequireVerified, Entry: entry(audit.MemberJoined, ""),
	}
	again, err := s.Admit(t.Context(), join)
	gives(t, err, nil)
	equal(t, again, people.Admitted{User: u})
	m, err := membership(t, s, repotest.Org, u.ID)
	gives(t, err, nil)
	equal(t, m.Role, tokens.RoleMember)
}

func unverifiedIsTakenOver(t *testing.T, s peopleStore) {
	u := unverified(t, s, "anna@acme.example")
	takeOver := people.Admission{
		Organization: repotest.Other, User: newUser(u.Email), Role: tokens.RoleOwner, Password: "new", Existing: people.TakeOver,
		Entry: entry(audit.MemberJoined, ""), TakeOverEntry: entry(audit.UserVerified, ""),
	}
	got, err := s.Admit(t.Context(), takeOver)
	gives(t, err, nil)
	u.VerifiedAt, u.PasswordTemporary, u.SessionEpoch = repotest.Noon, true, 1
	equal(t, got, people.Admitted{User: u, TakenOver: true})
	equal(t, stored(t, s, u.Email), "new")
	equal(t, s.Events(t, repotest.Org), 3) // invited, joined, verified
	equal(t, s.Events(t, repotest.Other), 2)

	takeOver.Password = "newer"
	got, err = s.Admit(t.Context(), takeOver)
	gives(t, err, nil)
	equal(t, got, people.Admitted{User: u})
	equal(t, stored(t, s, u.Email), "new")

	bert := unverified(t, s, "bert@acme.example")
	takeOver.User, takeOver.Identity = newUser(bert.Email), &identity
	for _, taken := range []bool{true, false} {
		got, err = s.Admit(t.Context(), takeOver)
		gives(t, err, nil)
		bert.VerifiedAt, bert.SessionEpoch = repotest.Noon, 1
		equal(t, got, people.Admitted{User: bert, TakenOver: taken})
		equal(t, stored(t, s, bert.Email), "")
	}
	other := people.Identity{Issuer: identity.Issuer, Subject: "43"}
	takeOver.Identity = &other
	_, err = s.Admit(t.Context(), takeOver)
	gives(t, err, tokens.ErrExists)
}

func accountIsChanged(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleOwner)
	admit(t, s, repotest.Other, "anna@acme.example", tokens.RoleMember)
	wrong := errors.New("no")
	for _, c := range []struct {
		decide func(*people.Account) (audit.Entry, error)
		err    error
		events int
	}{
		{func(*people.Account) (audit.Entry, error) { return audit.Entry{}, nil }, nil, 1},
		{func(a *people.Account) (audit.Entry, error) { a.Password = "x"; return audit.Entry{}, wrong }, wrong, 1},
		{func(a *people.Account) (audit.Entry, error) {
			equal(t, a.Password, "hash of anna@acme.example")
			a.Password, a.PasswordTemporary, a.DisabledAt, a.VerifiedAt = "new", true, repotest.Noon, time.Time{}
			a.SessionEpoch++
			return entry(audit.UserDisabled, ""), nil
		}, nil, 2},
	} {
		_, err := s.ChangeAccount(t.Context(), u.ID, c.decide)
		gives(t, err, c.err)
		equal(t, s.Events(t, repotest.Org), c.events)
		equal(t, s.Events(t, repotest.Other), c.events)
	}
	u.PasswordTemporary, u.DisabledAt, u.VerifiedAt, u.SessionEpoch = true, repotest.Noon, time.Time{}, 1
	got, err := s.Account(t.Context(), u.Email)
	gives(t, err, nil)
	equal(t, got, people.Account{User: u, Password: "new"})
	_, err = s.ChangeAccount(t.Context(), "usr_00000000000000000000000000", func(*people.Account) (audit.Entry, error) {
		t.Error("an account that does not exist was decided on")
		return audit.Entry{}, nil
	})
	gives(t, err, tokens.ErrNotFound)
}
