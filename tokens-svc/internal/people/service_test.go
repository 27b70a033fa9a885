package people_test

import (
	"context"
	"errors"
	"net/netip"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"
	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestMain(m *testing.M) {
	code := m.Run()
	postgrestest.Drop()
	os.Exit(code)
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

func (c *counted) Verify(ctx context.Context, stored, text string) (bool, error) {
	c.verified.Add(1)
	return c.Hasher.Verify(ctx, stored, text)
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

// TestOnlyManagersChangeMembers: others are refused before the repository is read.
func TestOnlyManagersChangeMembers(t *testing.T) {
	t.Parallel()
	for _, role := range []tokens.Role{tokens.RoleMember, tokens.RoleAuditor, ""} {
		s := people.NewService(nil, people.Config{}) // it must not get as far as the repository
		principal := people.Principal{Role: role}
		_, _, err := s.Invite(t.Context(), principal, org, "x@acme.example", "member")
		for _, err := range []error{
			err, s.Withdraw(t.Context(), principal, org, "inv_x"),
			s.ChangeRole(t.Context(), principal, org, "usr_x", "member"),
		} {
			if !errors.Is(err, tokens.ErrForbidden) {
				t.Errorf("%q: %v", role, err)
			}
		}
	}
}
