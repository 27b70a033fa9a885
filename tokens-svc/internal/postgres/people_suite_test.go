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
)

const unknown tokens.OrgID = "org_00000000000000000000000000"

func TestPeople(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, peopleStore){
		"an invitation admits once":                      invitationAdmitsOnce,
		"another organization's member is not found":     otherOrganizationFindsNothing,
		"of two owners leaving concurrently one remains": lastOwnerRemains,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, openPeople(t))
		})
	}
}

func newUser(email string) people.User {
	return people.User{ID: people.UserID(publicid.New("usr")), Email: email, Name: "Anna", CreatedAt: atNoon}
}

func entry(action audit.Action, target string) audit.Entry {
	return audit.Entry{
		At: atNoon, Actor: audit.CommandLine, Action: action, Target: target,
		Details: map[string]string{"role": "x"},
	}
}

// admit makes somebody a member.
func admit(t *testing.T, s peopleStore, email string, role tokens.Role) people.User {
	t.Helper()
	u := newUser(email)
	u.VerifiedAt = atNoon
	u, _, err := s.Admit(t.Context(), people.Admission{
		Organization: someOrg, User: u, Role: role, Password: "hash of " + email, Entry: entry(audit.MemberJoined, ""),
	})
	gives(t, err, nil)
	return u
}

func invitationAdmitsOnce(t *testing.T, s peopleStore) {
	a := people.Admission{
		Organization: someOrg, Role: tokens.RoleMember,
		Invitation: invite(t, s, someOrg, "anna@acme.example", "code").ID,
		Entry:      entry(audit.MemberJoined, ""),
	}
	results := make([]error, 8)
	together(len(results), func(n int) {
		mine := a
		mine.User = newUser("anna@acme.example")
		_, _, results[n] = s.Admit(t.Context(), mine)
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
	equal(t, s.Events(t, someOrg), 2)
	a.Organization, a.Invitation, a.User = otherOrg,
		invite(t, s, someOrg, "bert@acme.example", "x").ID, newUser("bert@acme.example")
	_, _, err := s.Admit(t.Context(), a)
	gives(t, err, tokens.ErrNotFound)
	_, err = s.Account(t.Context(), "bert@acme.example")
	gives(t, err, tokens.ErrNotFound)
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	options := cmp.Options{
		cmpopts.EquateEmpty(),
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

// invite stores an invitation that is good for an hour.
func invite(t *testing.T, s peopleStore, org tokens.OrgID, email, code string) people.Invitation {
	t.Helper()
	i := people.Invitation{
		ID: people.InvitationID(publicid.New("inv")), Organization: org, Email: email, Role: tokens.RoleMember,
		InvitedBy: "owner@acme.example",
		CreatedAt: atNoon, ExpiresAt: atNoon.Add(time.Hour),
	}
	gives(t, s.Invite(t.Context(), i, sum(code), entry(audit.MemberInvited, string(i.ID)),
		func(_, _ tokens.Role) error { return nil }), nil)
	return i
}
