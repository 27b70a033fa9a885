package people_test

import (
	"context"
	"errors"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

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
