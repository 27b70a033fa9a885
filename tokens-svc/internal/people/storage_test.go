package people_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// conflicting is storage in which each admission conflicts with a change that was made since.
type conflicting struct {
	people.Repository
	err error
}

func (c conflicting) Admit(context.Context, people.Admission) (people.Admitted, error) {
	return people.Admitted{}, c.err
}

// TestAnAdmissionThatConflictsIsRefused: an invitation that ended, or an account
// that was made, between looking it up and joining.
func TestAnAdmissionThatConflictsIsRefused(t *testing.T) {
	t.Parallel()
	repo := repository(t)
	config := people.Config{Passwords: cheap(), Domains: map[string]people.Domain{
		"domain.example": {Organization: org, Role: tokens.RoleMember},
	}}
	s := people.NewService(repo, config)
	owner, _ := enroll(t, s, anna)
	invited := invite(t, s, owner, "bert@acme.example", "member")
	for err, want := range map[error]struct{ code, issuer, domain error }{
		tokens.ErrNotFound:    {people.ErrCode, tokens.ErrNotFound, tokens.ErrNotFound},
		tokens.ErrExists:      {people.ErrRefused, people.ErrLinkedElsewhere, people.ErrLinkedElsewhere},
		tokens.ErrUnavailable: {tokens.ErrUnavailable, tokens.ErrUnavailable, tokens.ErrUnavailable},
	} {
		refused := people.NewService(conflicting{repo, err}, config)
		if u, at, got := refused.Accept(t.Context(), invited, here); !errors.Is(got, want.code) ||
			u != (people.User{}) || at != "" {
			t.Errorf("%v, by the code: %+v in %q, %v", err, u, at, got)
		}
		if _, _, got := refused.SignInWith(t.Context(), claims("1", invited.Email), here); !errors.Is(got, want.issuer) {
			t.Errorf("%v, by the issuer: %v", err, got)
		}
		if _, _, got := refused.SignInWith(t.Context(), claims("2", "dora@domain.example"),
			here); !errors.Is(got, want.domain) {
			t.Errorf("%v, by the domain: %v", err, got)
		}
	}
}
