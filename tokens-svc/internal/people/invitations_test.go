package people_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// acting returns u as the principal of a request that began when they had that role.
func acting(u people.User, role tokens.Role) tokens.Principal {
	actor := audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email}
	return tokens.NewService(nil, tokens.Config{}).Permissions().Person(actor, role)
}

// colleague makes a member with a role.
func colleague(t *testing.T, s *people.Service, email string, role tokens.Role) people.User {
	t.Helper()
	u, _ := enroll(t, s, people.Enrolment{Organization: org, Email: email, Role: string(role), Password: secret})
	return u
}

// invite invites an address and returns what its holder gets.
func invite(t *testing.T, s *people.Service, by people.User, email, role string) people.Acceptance {
	t.Helper()
	_, code, err := s.Invite(t.Context(), acting(by, tokens.RoleOwner), org, email, role)
	if err != nil {
		t.Fatal(err)
	}
	return people.Acceptance{Email: email, Code: code, Name: "Bert", Password: secret}
}

func accept(t *testing.T, s *people.Service, a people.Acceptance) people.User {
	t.Helper()
	u, at, err := s.Accept(t.Context(), a, here)
	if err != nil || at != org {
		t.Fatalf("%+v in %s, %v", u, at, err)
	}
	return u
}

func TestInvitedPersonJoinsOnceWithTheCode(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	a := invite(t, s, owner, " Bert@Acme.example", "admin")
	if !regexp.MustCompile(`^([A-Z2-7]{4}-){4}[A-Z2-7]{4}$`).MatchString(a.Code) {
		t.Errorf("code %q", a.Code)
	}
	pending, err := s.Invitations(t.Context(), org)
	if err != nil || len(pending) != 1 || pending[0].Email != "bert@acme.example" ||
		pending[0].Role != tokens.RoleAdmin ||
		pending[0].Inviter != owner.ID ||
		pending[0].ExpiresAt.Sub(pending[0].CreatedAt) != people.InvitationLife {
		t.Fatalf("%+v, %v", pending, err)
	}
	wrong := a
	wrong.Email = "carl@acme.example"
	if _, _, err := s.Accept(t.Context(), wrong, here); !errors.Is(err, people.ErrCode) {
		t.Errorf("another address: %v", err)
	}
	wrong = a
	wrong.Name, wrong.Password = " ", "short"
	_, _, err = s.Accept(t.Context(), wrong, here)
	if invalid, ok := errors.AsType[*tokens.ValidationError](err); !ok || len(invalid.Fields) != 2 {
		t.Errorf("without a name and with a short password: %v", err)
	}
	a.Code = " " + strings.ReplaceAll(strings.ToLower(a.Code), "-", " \t") // as people type it
	bert := accept(t, s, a)
	if bert.Email != "bert@acme.example" || bert.Name != "Bert" {
		t.Errorf("%+v", bert)
	}
	if m, err := membership(t, s, bert.ID); err != nil || m.Role != tokens.RoleAdmin {
		t.Errorf("%+v, %v", m, err)
	}
	if _, err := s.SignIn(t.Context(), bert.Email, secret, here); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Accept(t.Context(), a, here); !errors.Is(err, people.ErrCode) {
		t.Errorf("a second time: %v", err)
	}
	if all, err := s.Memberships(t.Context(), bert.ID); err != nil || len(all) != 1 || all[0].Organization.ID != org {
		t.Errorf("%+v, %v", all, err)
	}
	if _, _, err := s.Invite(t.Context(), acting(owner, tokens.RoleOwner), org, bert.Email,
		"member"); !errors.Is(err, tokens.ErrExists) {
		t.Errorf("a member is invited: %v", err)
	}
}

func TestInvitationNamesAllFaultsAndRolesThatTheInviterMayGrant(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	_, _, err := s.Invite(t.Context(), acting(owner, tokens.RoleOwner), org, "x", "king")
	if invalid, ok := errors.AsType[*tokens.ValidationError](err); !ok || len(invalid.Fields) != 2 {
		t.Errorf("%v", err)
	}
	if _, _, err := s.Invite(t.Context(), acting(owner, tokens.RoleOwner), org, "cleo@acme.example",
		"owner"); err != nil {
		t.Fatal(err)
	}
	asAdmin := acting(colleague(t, s, "dora@acme.example", tokens.RoleAdmin), tokens.RoleAdmin)
	if _, _, err := s.Invite(t.Context(), asAdmin, org, "cleo@acme.example",
		"member"); !errors.Is(err, tokens.ErrForbidden) {
		t.Errorf("an admin replaces an owner's invitation: %v", err)
	}
	_, _, err = s.Invite(t.Context(), asAdmin, org, "bert@acme.example", "owner")
	if field, code := fault(t, err); field != "role" || code != tokens.InvalidValue {
		t.Errorf("an admin invites an owner: %v", err)
	}
	if all, err := s.Invitations(t.Context(), org); err != nil || len(all) != 1 || all[0].Role != tokens.RoleOwner {
		t.Errorf("%+v, %v", all, err)
	}
}

func TestWithdrawnInvitationIsNoLongerGood(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	a := invite(t, s, owner, "bert@acme.example", "owner")
	all, err := s.Invitations(t.Context(), org)
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	dora := colleague(t, s, "dora@acme.example", tokens.RoleAdmin)
	if err := s.Withdraw(t.Context(), acting(dora, tokens.RoleAdmin), org,
		all[0].ID); !errors.Is(err, tokens.ErrForbidden) {
		t.Errorf("an admin withdraws the invitation of an owner: %v", err)
	}
	if err := s.Withdraw(t.Context(), acting(owner, tokens.RoleOwner), org,
		"inv_00000000000000000000000000"); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("none: %v", err)
	}
	if err := s.Withdraw(t.Context(), acting(owner, tokens.RoleOwner), org, all[0].ID); err != nil {
		t.Error(err)
	}
	if _, _, err := s.Accept(t.Context(), a, here); !errors.Is(err, people.ErrCode) {
		t.Errorf("%v", err)
	}
}

func TestInvitationExpires(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := people.NewService(repository(t), people.Config{
		Passwords: cheap(),
		Now:       func() time.Time { return now },
	})
	owner, _ := enroll(t, s, anna)
	a := invite(t, s, owner, "bert@acme.example", "member")
	now = now.Add(people.InvitationLife)
	if _, _, err := s.Accept(t.Context(), a, here); !errors.Is(err, people.ErrCode) {
		t.Errorf("%v", err)
	}
	if all, err := s.Invitations(t.Context(), org); err != nil || len(all) != 0 {
		t.Errorf("%+v, %v", all, err)
	}
}

// TestAnInvitationEndsWithItsInvitersAuthority: removed, demoted or disabled.
func TestAnInvitationEndsWithItsInvitersAuthority(t *testing.T) {
	t.Parallel()
	type end func(s *people.Service, by tokens.Principal, inviter people.User) error
	remove := func(s *people.Service, by tokens.Principal, inviter people.User) error {
		return s.Remove(t.Context(), by, org, inviter.ID)
	}
	disable := func(s *people.Service, _ tokens.Principal, inviter people.User) error {
		return s.Disable(t.Context(), inviter, "fraud")
	}
	become := func(role tokens.Role) end {
		return func(s *people.Service, by tokens.Principal, inviter people.User) error {
			return s.ChangeRole(t.Context(), by, org, inviter.ID, string(role))
		}
	}
	for name, c := range map[string]struct {
		inviter tokens.Role
		end     end
		ended   int // of an invitation as the inviter's own role and one as member
	}{
		"an admin is removed": {tokens.RoleAdmin, remove, 2},
		"an owner is removed": {tokens.RoleOwner, remove, 2},
		"an admin leaves": {tokens.RoleAdmin, func(s *people.Service, _ tokens.Principal, inviter people.User) error {
			return s.Remove(t.Context(), acting(inviter, tokens.RoleAdmin), org, inviter.ID)
		}, 2},
		"an admin is demoted":            {tokens.RoleAdmin, become(tokens.RoleMember), 2},
		"an owner is demoted":            {tokens.RoleOwner, become(tokens.RoleAdmin), 1},
		"an admin is promoted":           {tokens.RoleAdmin, become(tokens.RoleOwner), 0},
		"an owner's account is disabled": {tokens.RoleOwner, disable, 2},
		"an admin's account is disabled": {tokens.RoleAdmin, disable, 2},
	} {
		s, _ := open(t)
		owner, _ := enroll(t, s, anna)
		inviter := colleague(t, s, "inviter@acme.example", c.inviter)
		invited := []people.Acceptance{
			invite(t, s, inviter, "first@acme.example", string(c.inviter)),
			invite(t, s, inviter, "second@acme.example", "member"),
		}
		kept := invite(t, s, owner, "third@acme.example", "owner")
		if err := c.end(s, acting(owner, tokens.RoleOwner), inviter); err != nil {
			t.Fatal(err)
		}
		for i, a := range invited {
			if _, _, err := s.Accept(t.Context(), a, here); errors.Is(err, people.ErrCode) != (i < c.ended) {
				t.Errorf("%s, invitation %d: %v", name, i, err)
			}
		}
		accept(t, s, kept)
	}
}

// Codes that are wrong count against the address of the client, and right ones never do.
func TestWrongCodesAreThrottledByAddress(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	a := invite(t, s, owner, "bert@acme.example", "member")
	wrong := a
	wrong.Code = "AAAA"
	for range people.AttemptsPerAddress {
		if _, _, err := s.Accept(t.Context(), wrong, here); !errors.Is(err, people.ErrCode) {
			t.Fatal(err)
		}
	}
	_, _, err := s.Accept(t.Context(), wrong, here)
	if _, throttled := errors.AsType[*people.ThrottledError](err); !throttled {
		t.Errorf("%v", err)
	}
	accept(t, s, a)
}
