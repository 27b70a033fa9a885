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

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
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

// counted counts what is done with passwords.
type counted struct {
	*password.Hasher
	hashed, verified atomic.Int64
}

func (c *counted) Hash(ctx context.Context, text string) (string, error) {
	c.hashed.Add(1)
	return c.Hasher.Hash(ctx, text)
}

func (c *counted) Verify(ctx context.Context, stored, text string) (right, stale bool, err error) {
	c.verified.Add(1)
	return c.Hasher.Verify(ctx, stored, text)
}

func cheap(passes uint32) *counted {
	return &counted{Hasher: password.New(password.Params{Memory: 64, Passes: passes, Threads: 1})}
}

// open returns services over one database with one organization, one for each
// of the ways to keep passwords.
func open(t *testing.T, ways ...*counted) []*people.Service {
	t.Helper()
	repo := repository(t)
	services := make([]*people.Service, len(ways))
	for i, way := range ways {
		services[i] = people.NewService(repo, people.Config{Passwords: way, NewID: publicid.New})
	}
	return services
}

// repository returns people over a database with one organization.
func repository(t *testing.T) *postgres.People {
	t.Helper()
	return postgres.NewPeople(database(t))
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
	admitted, err := s.Enroll(t.Context(), e)
	if err != nil {
		t.Fatal(err)
	}
	return admitted.User, admitted.Made
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
	s := open(t, cheap(1))[0]
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
	s := open(t, cheap(1))[0]
	_, err := s.Enroll(t.Context(), people.Enrolment{
		Organization: org, Email: "x", Name: "a\x00b",
		Role: "king", Password: "short",
	})
	invalid, ok := errors.AsType[*tokens.ValidationError](err)
	if !ok || len(invalid.Fields) != 4 || strings.Contains(err.Error(), "short") {
		t.Errorf("%v", err)
	}
	lost := anna
	lost.Organization = "org_00000000000000000000000000"
	if _, err := s.Enroll(t.Context(), lost); !errors.Is(err, tokens.ErrNotFound) {
		t.Errorf("%v, want %v", err, tokens.ErrNotFound)
	}
}

func TestAPasswordIsHashedAnewUnderNewParameters(t *testing.T) {
	t.Parallel()
	old, newer := cheap(1), cheap(2)
	services := open(t, old, newer)
	enroll(t, services[0], anna)
	for range 2 {
		if _, err := services[1].SignIn(t.Context(), anna.Email, secret, here); err != nil {
			t.Fatal(err)
		}
	}
	if n := newer.hashed.Load(); n != 1 {
		t.Errorf("hashed %d times, want once", n)
	}
}

// TestUnknownAccountsCostTheSame: one verification, whatever is tried.
func TestUnknownAccountsCostTheSame(t *testing.T) {
	t.Parallel()
	way := cheap(1)
	s := open(t, way)[0]
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
	way := cheap(1)
	s := open(t, way)[0]
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
		s := people.NewService(nil, people.Config{NewID: publicid.New}) // it must not get as far as the repository
		principal := people.Principal{Role: role}
		_, _, err := s.Invite(t.Context(), principal, org, "x@acme.example", "member")
		for _, err := range []error{
			err, s.Withdraw(t.Context(), principal, org, "inv_x"),
			s.ChangeRole(t.Context(), principal, org, "usr_x", "member"),
		} {
			if !errors.Is(err, people.ErrForbidden) {
				t.Errorf("%q: %v", role, err)
			}
		}
	}
}
