package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
