package postgres_test

import (
	"crypto/sha256"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

const unknown tokens.OrgID = "org_00000000000000000000000000"

func TestPeople(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, peopleStore){
		"admission creates account and membership":            admitted,
		"a second admission changes nothing":                  admittedAgain,
		"an invitation admits once":                           invitationAdmitsOnce,
		"admission needs the organization":                    admissionNeedsOrganization,
		"a password is replaced by compare-and-set":           passwordIsComparedAndSet,
		"an identity ends password and sessions":              identityForgetsPassword,
		"an identity is one person's":                         identityIsTakenOnce,
		"an unverified account joins nothing else":            unverifiedJoinsNothingElse,
		"an unverified account is taken over":                 unverifiedIsTakenOver,
		"an account is changed as decided":                    accountIsChanged,
		"memberships are listed by name":                      membershipsAreListed,
		"another organization's member is not found":          otherOrganizationFindsNothing,
		"a decision changes a role, removes, or does nothing": decisionIsDone,
		"of two owners leaving concurrently one remains":      lastOwnerRemains,
		"an invitation replaces the one before":               invitationReplaces,
		"an invitation ends":                                  invitationEnds,
		"attempts are counted within a window":                attemptsAreCounted,
		"concurrent attempts are all counted":                 concurrentAttemptsAreCounted,
		"success resets the throttle":                         successResetsThrottle,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openPeople(t))
		})
	}
}

// stored returns the stored password of an account.
func stored(t *testing.T, s peopleStore, email string) string {
	t.Helper()
	a, err := s.Account(t.Context(), email)
	gives(t, err, nil)
	return a.Password
}

func newUser(email string) people.User {
	return people.User{ID: people.UserID(publicid.New("usr")), Email: email, Name: "Anna", CreatedAt: repotest.Noon}
}

func entry(action audit.Action, target string) audit.Entry {
	return audit.Entry{At: repotest.Noon, Actor: audit.CommandLine, Action: action, Target: target, Details: map[string]string{"role": "x"}}
}

// admit makes somebody a member.
func admit(t *testing.T, s peopleStore, org tokens.OrgID, email string, role tokens.Role) people.User {
	t.Helper()
	admitted, err := s.Admit(t.Context(), people.Admission{
		Organization: org, User: newUser(email), Role: role, Password: "hash of " + email, Existing: people.RequireVerified,
		Entry: entry(audit.MemberJoined, ""),
	})
	gives(t, err, nil)
	return admitted.User
}

func admitted(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleAdmin)
	got, err := s.User(t.Context(), u.ID)
	gives(t, err, nil)
	equal(t, got, people.User{ID: u.ID, Email: "anna@acme.example", Name: "Anna", CreatedAt: repotest.Noon, VerifiedAt: repotest.Noon})
	account, err := s.Account(t.Context(), "anna@acme.example")
	gives(t, err, nil)
	equal(t, account.User, u)
	equal(t, account.Password, "hash of anna@acme.example")
	members, err := s.Members(t.Context(), repotest.Org)
	gives(t, err, nil)
	equal(t, members, []people.Member{{User: u, Role: tokens.RoleAdmin, JoinedAt: repotest.Noon}})
	equal(t, s.Events(t, repotest.Org), 1)
	_, err = s.User(t.Context(), "usr_00000000000000000000000000")
	gives(t, err, tokens.ErrNotFound)
	_, err = s.Account(t.Context(), "bert@acme.example")
	gives(t, err, tokens.ErrNotFound)
}

func admittedAgain(t *testing.T, s peopleStore) {
	first := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleAdmin)
	again, err := s.Admit(t.Context(), people.Admission{
		Organization: repotest.Org, Role: tokens.RoleOwner, Password: "another", Existing: people.RequireVerified, Entry: entry(audit.MemberJoined, ""),
		User: people.User{ID: people.UserID(publicid.New("usr")), Email: first.Email, Name: "Usurper", CreatedAt: repotest.Noon.Add(time.Hour)},
	})
	gives(t, err, nil)
	equal(t, again, people.Admitted{User: first})
	equal(t, stored(t, s, first.Email), "hash of anna@acme.example")
	m, err := membership(t, s, repotest.Org, first.ID)
	gives(t, err, nil)
	equal(t, m.Role, tokens.RoleAdmin)
	equal(t, s.Events(t, repotest.Org), 1)
	equal(t, admit(t, s, repotest.Other, first.Email, tokens.RoleMember), first)
	equal(t, s.Events(t, repotest.Other), 1)
}

func invitationAdmitsOnce(t *testing.T, s peopleStore) {
	a := people.Admission{
		Organization: repotest.Org, Role: tokens.RoleMember, Invitation: invite(t, s, repotest.Org, "anna@acme.example", "code").ID,
		Entry: entry(audit.MemberJoined, ""),
	}
	results := make([]error, 8)
	together(len(results), func(n int) {
		mine := a
		mine.User = newUser("anna@acme.example")
		_, results[n] = s.Admit(t.Context(), mine)
	})
	good := 0
	for _, err := range results {
		if err == nil {
			good++
			continue
		}
		gives(t, err, tokens.ErrNotFound)
	}
	equal(t, good, 1)
	equal(t, s.Events(t, repotest.Org), 2)
	a.Organization, a.Invitation, a.User = repotest.Other, invite(t, s, repotest.Org, "bert@acme.example", "x").ID, newUser("bert@acme.example")
	_, err := s.Admit(t.Context(), a)
	gives(t, err, tokens.ErrNotFound)
	_, err = s.Account(t.Context(), "bert@acme.example")
	gives(t, err, tokens.ErrNotFound)
}

func admissionNeedsOrganization(t *testing.T, s peopleStore) {
	_, err := s.Admit(t.Context(), people.Admission{
		Organization: unknown, User: newUser("anna@acme.example"), Role: tokens.RoleMember, Entry: entry(audit.MemberJoined, ""),
	})
	gives(t, err, tokens.ErrNotFound)
	_, err = s.Account(t.Context(), "anna@acme.example")
	gives(t, err, tokens.ErrNotFound)
}

func passwordIsComparedAndSet(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleMember)
	gives(t, s.SetPassword(t.Context(), u.ID, "something else", "stolen"), nil)
	gives(t, s.SetPassword(t.Context(), u.ID, "hash of anna@acme.example", "new"), nil)
	equal(t, stored(t, s, u.Email), "new")
}

var (
	identity = people.Identity{Issuer: "https://issuer.example", Subject: "42"}
	linked   = entry(audit.UserIdentityLinked, "")
)

func identityForgetsPassword(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleMember)
	_, err := s.UserWith(t.Context(), identity)
	gives(t, err, tokens.ErrNotFound)
	admit(t, s, repotest.Other, "anna@acme.example", tokens.RoleMember)
	gives(t, s.Link(t.Context(), u.ID, identity, linked), nil)
	got, err := s.UserWith(t.Context(), identity)
	gives(t, err, nil)
	u.SessionEpoch = 1
	equal(t, got, u)
	equal(t, stored(t, s, u.Email), "")
	equal(t, s.Events(t, repotest.Org), 2)
	equal(t, s.Events(t, repotest.Other), 2)
	gives(t, s.Unlink(t.Context(), u.ID, linked), nil)
	gives(t, s.Unlink(t.Context(), u.ID, linked), tokens.ErrNotFound)
	_, err = s.UserWith(t.Context(), identity)
	gives(t, err, tokens.ErrNotFound)
	u.SessionEpoch, u.VerifiedAt = 2, time.Time{}
	got, err = s.User(t.Context(), u.ID)
	gives(t, err, nil)
	equal(t, got, u)
}

func identityIsTakenOnce(t *testing.T, s peopleStore) {
	u := admit(t, s, repotest.Org, "anna@acme.example", tokens.RoleMember)
	other := admit(t, s, repotest.Org, "bert@acme.example", tokens.RoleMember)
	gives(t, s.Link(t.Context(), u.ID, identity, linked), nil)
	gives(t, s.Link(t.Context(), other.ID, identity, linked), tokens.ErrExists)
	gives(t, s.Link(t.Context(), u.ID, people.Identity{Issuer: identity.Issuer, Subject: "43"}, linked), tokens.ErrExists)
	equal(t, stored(t, s, other.Email), "hash of bert@acme.example")
	fresh := people.Identity{Issuer: identity.Issuer, Subject: "44"}
	made, err := s.Admit(t.Context(), people.Admission{
		Organization: repotest.Org, User: newUser("carl@acme.example"), Role: tokens.RoleMember, Identity: &fresh, Existing: people.TakeOver, Entry: entry(audit.MemberJoined, ""),
	})
	gives(t, err, nil)
	got, err := s.UserWith(t.Context(), fresh)
	gives(t, err, nil)
	equal(t, got, made.User)
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	options := cmp.Options{
		cmpopts.EquateEmpty(), cmpopts.IgnoreFields(tokens.Organization{}, "TestID"), // the repository generates it
		cmpopts.EquateComparable(netip.Prefix{}, netip.Addr{}),
	}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("not as wanted (-want +got):\n%s", diff)
	}
}

func gives(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// together runs work n times at once.
func together(n int, work func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { work(i) })
	}
	all.Wait()
}

func sum(text string) [32]byte { return sha256.Sum256([]byte(text)) }
