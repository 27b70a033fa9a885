package people_test

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestMain(m *testing.M) {
	m.Run()
	postgrestest.Drop()
}

const (
	org    tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	secret string       = "correct horse battery"
)

var here = people.ClientInfo{Address: netip.MustParseAddr("192.0.2.1"), RequestID: "req_1"}

// counted counts the passwords that are verified.
type counted struct {
	*password.Hasher
	verified atomic.Int64
}

func (c *counted) Verify(ctx context.Context, from password.From, stored, text string) (bool, error) {
	c.verified.Add(1)
	return c.Hasher.Verify(ctx, from, stored, text)
}

func cheap() *counted {
	return &counted{Hasher: password.New(argon2id.Params{
		Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32,
	})}
}

// open returns a service over a database with one organization, and what it does with passwords.
func open(t *testing.T) (*people.Service, *counted) {
	t.Helper()
	way := cheap()
	return people.NewService(repository(t), people.Config{Passwords: way}), way
}

// repository returns people over a database with one organization.
func repository(t *testing.T) *postgres.Repository {
	t.Helper()
	return postgres.NewRepository(database(t))
}

// database returns one with one organization.
func database(t *testing.T) *sqlx.DB {
	t.Helper()
	db, err := postgres.Open(postgrestest.New(t, postgres.Migrate), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	if _, err := tokens.NewService(postgres.NewRepository(db), tokens.Config{}).CreateOrganization(t.Context(),
		tokens.Operator(), org, "Acme"); err != nil {
		t.Fatal(err)
	}
	return db
}

func enroll(t *testing.T, s *people.Service, e people.Enrolment) (people.User, bool) {
	t.Helper()
	u, made, err := s.Enroll(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return u, made
}

// membership returns a person's in org, or tokens.ErrNotFound.
func membership(t *testing.T, s *people.Service, id people.UserID) (people.Membership, error) {
	t.Helper()
	all, err := s.Memberships(t.Context(), id)
	for _, m := range all {
		if m.Organization.ID == org {
			return m, err
		}
	}
	return people.Membership{}, errors.Join(err, tokens.ErrNotFound)
}

var anna = people.Enrolment{
	Organization: org, Email: "Anna@Acme.example", Name: "Anna",
	Role: "owner", Password: secret,
}

func TestEnrollingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	first, made := enroll(t, s, anna)
	if !made || first.Email != "anna@acme.example" {
		t.Errorf("%+v, %t", first, made)
	}
	again := anna
	again.Name, again.Role, again.Password = "Usurper", "auditor", "another horse battery"
	if second, made := enroll(t, s, again); made || second != first {
		t.Errorf("%+v, %t", second, made)
	}
	m, err := membership(t, s, first.ID)
	if err != nil || m.Role != tokens.RoleOwner {
		t.Errorf("%+v, %v", m, err)
	}
	if u, err := s.SignIn(t.Context(), "anna@acme.example", secret, here); err != nil || u != first {
		t.Errorf("%+v, %v", u, err)
	}
}

func TestAllFaultsOfAnEnrolmentAreReported(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	_, _, err := s.Enroll(t.Context(), people.Enrolment{
		Organization: org, Email: "x", Name: "a\x00b",
		Role: "king", Password: "short",
	})
	invalid, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok || len(invalid.Fields) != 4 || strings.Contains(err.Error(), "short") {
		t.Errorf("%v", err)
	}
	lost := anna
	lost.Organization = "org_00000000000000000000000000"
	if _, _, err := s.Enroll(t.Context(), lost); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("%v, want %v", err, tokens.ErrNotFound)
	}
}

// TestUnknownAccountsCostTheSame: one verification, whatever is tried.
func TestUnknownAccountsCostTheSame(t *testing.T) {
	t.Parallel()
	s, way := open(t)
	enroll(t, s, anna)
	for _, email := range []string{"anna@acme.example", "bert@acme.example", "", "nonsense"} {
		before := way.verified.Load()
		if _, err := s.SignIn(t.Context(), email, "wrong", here); !errors.Is(err, people.ErrRefused) {
			t.Errorf("%q: %v, want %v", email, err, people.ErrRefused)
		}
		if n := way.verified.Load() - before; n != 1 {
			t.Errorf("%q: %d verifications", email, n)
		}
	}
	if _, err := s.SignIn(t.Context(), "anna@acme.example", strings.Repeat("x", 100_000),
		here); !errors.Is(err, people.ErrRefused) {
		t.Errorf("an endless password: %v", err)
	}
}

func TestConcurrentAttemptsAreThrottled(t *testing.T) {
	t.Parallel()
	s, way := open(t)
	enroll(t, s, anna)
	done := make(chan error)
	const tries = 3 * people.AttemptsPerDevice
	for range tries {
		go func() {
			_, err := s.SignIn(context.WithoutCancel(t.Context()), anna.Email, "wrong", here)
			done <- err
		}()
	}
	throttled := 0
	for range tries {
		if e, ok := errors.AsType[*people.ThrottledError](<-done); ok {
			throttled++
			if e.RetryAfter <= 0 || e.RetryAfter > people.AttemptWindow+time.Second {
				t.Errorf("retry after %s", e.RetryAfter)
			}
		}
	}
	if n := way.verified.Load(); n != people.AttemptsPerDevice || throttled != tries-people.AttemptsPerDevice {
		t.Errorf("%d were verified, %d throttled", n, throttled)
	}
}

// TestAuthorityIsThatOfTheTransaction: the role of the person who acts is the one that they have when the change is
// made, whatever it was when the request began.
func TestAuthorityIsThatOfTheTransaction(t *testing.T) {
	t.Parallel()
	for _, now := range []tokens.Role{tokens.RoleMember, tokens.RoleAuditor, "", "disabled"} {
		s, _ := open(t)
		owner, _ := enroll(t, s, anna)
		bert := colleague(t, s, "bert@acme.example", tokens.RoleOwner)
		friend := colleague(t, s, "carl@acme.example", tokens.RoleMember)
		invite(t, s, owner, "dora@acme.example", "member")
		open, err := s.Invitations(t.Context(), org)
		if err != nil {
			t.Fatal(err)
		}
		began, by := acting(bert, tokens.RoleOwner), acting(owner, tokens.RoleOwner)
		switch now {
		case "":
			err = s.Remove(t.Context(), by, org, bert.ID)
		case "disabled":
			err = s.Disable(t.Context(), bert, "left")
		default:
			err = s.ChangeRole(t.Context(), by, org, bert.ID, string(now))
		}
		if err != nil {
			t.Fatal(err)
		}
		_, _, invited := s.Invite(t.Context(), began, org, "x@acme.example", "member")
		for what, err := range map[string]error{
			"invites": invited, "withdraws": s.Withdraw(t.Context(), began, org, open[0].ID),
			"promotes a friend":   s.ChangeRole(t.Context(), began, org, friend.ID, "owner"),
			"removes the remover": s.Remove(t.Context(), began, org, owner.ID),
		} {
			if !errors.Is(err, tokens.ErrForbidden) {
				t.Errorf("an owner who is now %q %s: %v", now, what, err)
			}
		}
	}
}

// TestOrganizationKeepsAnOwnerWhoCanSignIn: disabled accounts do not count.
func TestOrganizationKeepsAnOwnerWhoCanSignIn(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	bert := colleague(t, s, "bert@acme.example", tokens.RoleOwner)
	by := acting(owner, tokens.RoleOwner)
	if err := s.Disable(t.Context(), bert, "left"); err != nil {
		t.Fatal(err)
	}
	for what, err := range map[string]error{
		"leaves":      s.Remove(t.Context(), by, org, owner.ID),
		"steps down":  s.ChangeRole(t.Context(), by, org, owner.ID, "admin"),
		"is disabled": s.Disable(t.Context(), owner, "left"),
	} {
		if !errors.Is(err, people.ErrLastOwner) {
			t.Errorf("the only owner who can sign in %s: %v", what, err)
		}
	}
	if err := errors.Join(s.Remove(t.Context(), by, org, bert.ID), s.Enable(t.Context(), bert)); err != nil {
		t.Errorf("the disabled owner is removed: %v", err)
	}
}

// TestAcceptanceNeedsTheAccountAsItIs: a request of a session that ended meanwhile makes nobody a member.
func TestAcceptanceNeedsTheAccountAsItIs(t *testing.T) {
	t.Parallel()
	s, _ := open(t)
	owner, _ := enroll(t, s, anna)
	bert := colleague(t, s, "bert@acme.example", tokens.RoleMember)
	if err := s.Remove(t.Context(), acting(owner, tokens.RoleOwner), org, bert.ID); err != nil {
		t.Fatal(err)
	}
	invite(t, s, owner, bert.Email, "member")
	offers, err := s.Offers(t.Context(), bert)
	if err != nil || len(offers) != 1 {
		t.Fatal(offers, err)
	}
	unverified := bert
	unverified.VerifiedAt = time.Time{}
	if _, err := s.Join(t.Context(), unverified, offers[0].ID, here); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("with an address that is not verified: %v", err)
	}
	if err := s.Disable(t.Context(), bert, "left"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Join(t.Context(), bert, offers[0].ID, here); !errors.Is(err, people.ErrEnded) {
		t.Errorf("a disabled account joins: %v", err)
	}
}

// conflicting is storage in which each admission conflicts with a change that was made since.
type conflicting struct {
	people.Repository
	err error
}

func (c conflicting) Admit(context.Context, people.Admission) (people.User, bool, error) {
	return people.User{}, false, c.err
}

func (c conflicting) Link(
	context.Context, people.User, people.Identity, audit.Entry, people.Admission, bool,
) (people.User, bool, error) {
	return people.User{}, false, c.err
}

// TestAnAdmissionThatConflictsIsRefused: an invitation that ended, or an account
// that was made, between looking it up and joining.
func TestAnAdmissionThatConflictsIsRefused(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	config := people.Config{Passwords: cheap()}
	s := people.NewService(repo, config)
	owner, _ := enroll(t, s, anna)
	invited := invite(t, s, owner, "bert@acme.example", "member")
	for err, want := range map[error]struct{ code, issuer error }{
		tokens.ErrNotFound:    {people.ErrCode, tokens.ErrNotFound},
		tokens.ErrExists:      {people.ErrRefused, people.ErrLinkedElsewhere},
		tokens.ErrUnavailable: {tokens.ErrUnavailable, tokens.ErrUnavailable},
	} {
		refused := people.NewService(conflicting{repo, err}, config)
		if u, at, got := refused.Accept(t.Context(), invited, here); !errors.Is(got, want.code) ||
			u != (people.User{}) || at != "" {
			t.Errorf("%v, by the code: %+v in %q, %v", err, u, at, got)
		}
		if _, _, got := refused.SignInWith(t.Context(), claims("1", invited.Email), "", here); !errors.Is(got,
			want.issuer) {
			t.Errorf("%v, by the issuer: %v", err, got)
		}
	}
}
