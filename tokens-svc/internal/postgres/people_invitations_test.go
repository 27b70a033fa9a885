package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// invite stores an invitation that is good for an hour.
func invite(t *testing.T, s peopleStore, org tokens.OrgID, email, code string) people.Invitation {
	t.Helper()
	i := people.Invitation{
		ID: people.InvitationID(publicid.New("inv")), Email: email, Role: tokens.RoleMember, InvitedBy: "owner@acme.example",
		CreatedAt: repotest.Noon, ExpiresAt: repotest.Noon.Add(time.Hour),
	}
	gives(t, s.Invite(t.Context(), org, i, sum(code), entry(audit.MemberInvited, string(i.ID)), func(tokens.Role) error { return nil }), nil)
	return i
}

func invitationReplaces(t *testing.T, s peopleStore) {
	invite(t, s, repotest.Org, "anna@acme.example", "first")
	second := invite(t, s, repotest.Org, "anna@acme.example", "second")
	elsewhere := invite(t, s, repotest.Other, "anna@acme.example", "first")
	all, err := s.Invitations(t.Context(), repotest.Org, repotest.Noon)
	gives(t, err, nil)
	equal(t, all, []people.Invitation{second})
	found, err := s.InvitationWith(t.Context(), "anna@acme.example", sum("second"), repotest.Noon)
	gives(t, err, nil)
	equal(t, found, people.Offer{Organization: repotest.Org, OrganizationName: "Acme", Invitation: second})
	found, err = s.InvitationWith(t.Context(), "anna@acme.example", sum("first"), repotest.Noon)
	gives(t, err, nil)
	equal(t, found, people.Offer{Organization: repotest.Other, OrganizationName: "Other", Invitation: elsewhere})
	offers, err := s.Offers(t.Context(), "anna@acme.example", repotest.Noon)
	gives(t, err, nil)
	equal(t, len(offers), 2)
	admit(t, s, repotest.Org, "bert@acme.example", tokens.RoleMember)
	again := second
	again.ID, again.Email = people.InvitationID(publicid.New("inv")), "bert@acme.example"
	gives(t, s.Invite(t.Context(), repotest.Org, again, sum("x"), entry(audit.MemberInvited, "x"), nil), tokens.ErrExists)
}

func invitationEnds(t *testing.T, s peopleStore) {
	i := invite(t, s, repotest.Org, "anna@acme.example", "code")
	for _, at := range []time.Time{i.ExpiresAt, i.ExpiresAt.Add(time.Hour)} {
		_, err := s.InvitationWith(t.Context(), "anna@acme.example", sum("code"), at)
		gives(t, err, tokens.ErrNotFound)
		all, err := s.Invitations(t.Context(), repotest.Org, at)
		gives(t, err, nil)
		equal(t, all, []people.Invitation{})
		offers, err := s.Offers(t.Context(), "anna@acme.example", at)
		gives(t, err, nil)
		equal(t, offers, []people.Offer{})
	}
	_, err := s.InvitationWith(t.Context(), "bert@acme.example", sum("code"), repotest.Noon)
	gives(t, err, tokens.ErrNotFound)
	gives(t, s.Withdraw(t.Context(), repotest.Org, i.ID, entry(audit.InvitationWithdrawn, string(i.ID))), nil)
	gives(t, s.Withdraw(t.Context(), repotest.Org, i.ID, entry(audit.InvitationWithdrawn, string(i.ID))), tokens.ErrNotFound)
	equal(t, s.Events(t, repotest.Org), 2)
}

func attemptsAreCounted(t *testing.T, s peopleStore) {
	for i, step := range []struct {
		key   string
		after time.Duration
		n     int
		since time.Duration
	}{
		{"a", 0, 1, 0},
		{"a", time.Minute, 2, 0},
		{"b", 2 * time.Minute, 1, 2 * time.Minute},
		{"a", 10*time.Minute - time.Millisecond, 3, 0},
		{"a", 10 * time.Minute, 1, 10 * time.Minute},
	} {
		n, since, err := s.Attempt(t.Context(), sum(step.key), repotest.Noon.Add(step.after), 10*time.Minute)
		gives(t, err, nil)
		if n != step.n || !since.Equal(repotest.Noon.Add(step.since)) {
			t.Errorf("step %d: %d since %s", i, n, since)
		}
	}
}

func concurrentAttemptsAreCounted(t *testing.T, s peopleStore) {
	seen := make([]int, 16)
	together(len(seen), func(i int) {
		n, _, err := s.Attempt(t.Context(), sum("a"), repotest.Noon, time.Minute)
		gives(t, err, nil)
		seen[i] = n
	})
	total := 0
	for _, n := range seen {
		total += n
	}
	equal(t, total, len(seen)*(len(seen)+1)/2)
}

func successResetsThrottle(t *testing.T, s peopleStore) {
	for range 3 {
		for _, key := range []string{"account", "address"} {
			_, _, err := s.Attempt(t.Context(), sum(key), repotest.Noon, time.Minute)
			gives(t, err, nil)
		}
	}
	gives(t, s.ResetAttempts(t.Context(), sum("account")), nil)
	gives(t, s.ReturnAttempt(t.Context(), sum("address")), nil)
	for key, want := range map[string]int{"account": 1, "address": 3} {
		n, _, err := s.Attempt(t.Context(), sum(key), repotest.Noon, time.Minute)
		gives(t, err, nil)
		equal(t, n, want)
	}
}
