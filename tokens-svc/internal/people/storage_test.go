package people_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestEveryFailureOfTheStorageIsReturned by every method, whichever of its calls
// fails: none takes a failure for an answer.
func TestEveryFailureOfTheStorageIsReturned(t *testing.T) {
	t.Parallel()
	db := database(t)
	const other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
	organizations := tokens.NewService(postgres.NewRepository(db), tokens.Config{})
	if _, err := organizations.CreateOrganization(t.Context(), tokens.Operator(), other, "Other"); err != nil {
		t.Fatal(err)
	}
	f := &failing{Repository: postgres.NewPeople(db), Hasher: password.New(password.Params{Memory: 64, Passes: 2, Threads: 1})}
	s := people.NewService(f, people.Config{Passwords: f, NewID: publicid.New, Domains: map[string]people.Domain{
		"domain.example": {Organization: org, Role: tokens.RoleMember},
	}})
	ctx := t.Context()
	owner, _ := enroll(t, s, anna)
	stale, _ := enroll(t, people.NewService(f.Repository, people.Config{Passwords: cheap(1), NewID: publicid.New}),
		people.Enrolment{Organization: org, Email: "stale@acme.example", Role: "member", Password: secret})
	member, _ := enroll(t, s, people.Enrolment{Organization: other, Email: "member@other.example", Role: "member", Password: secret})
	busy, _ := enroll(t, s, people.Enrolment{Organization: other, Email: "busy@other.example", Role: "member", Password: secret})
	asOwner := acting(owner, tokens.RoleOwner)
	invited := func(email string) people.Acceptance {
		return invite(t, s, owner, email, "member")
	}
	newcomer, known := invited("newcomer@acme.example"), invited(member.Email)
	withdrawn, _, err := s.Invite(ctx, asOwner, org, "withdrawn@acme.example", "member")
	declined, _, errBusy := s.Invite(ctx, asOwner, org, busy.Email, "member")
	if err = errors.Join(err, errBusy); err != nil {
		t.Fatal(err)
	}
	invite(t, s, owner, "issuer@acme.example", "member")
	for _, c := range []struct {
		name string
		do   func() error
	}{
		{"User", func() error { _, err := s.User(ctx, owner.ID); return err }},
		{"Users", func() error { _, err := s.Users(ctx); return err }},
		{"Find by id", func() error { _, err := s.Find(ctx, string(owner.ID)); return err }},
		{"Find by address", func() error { _, err := s.Find(ctx, owner.Email); return err }},
		{"Members", func() error { _, err := s.Members(ctx, org); return err }},
		{"Memberships", func() error { _, err := s.Memberships(ctx, owner.ID); return err }},
		{"Invitations", func() error { _, err := s.Invitations(ctx, org); return err }},
		{"Offers", func() error { _, err := s.Offers(ctx, member); return err }},
		{"NewDevice", func() error { _, err := s.NewDevice(ctx, owner); return err }},
		{"SignIn", func() error { _, err := s.SignIn(ctx, owner.Email, secret, here); return err }},
		{"SignIn with a stale hash", func() error { _, err := s.SignIn(ctx, stale.Email, secret, here); return err }},
		{"SignInWith of an invited person", func() error { _, _, err := s.SignInWith(ctx, claims("1", "issuer@acme.example"), here); return err }},
		{"SignInWith of a domain", func() error { _, _, err := s.SignInWith(ctx, claims("2", "anna@domain.example"), here); return err }},
		{"SignInWith of an account", func() error { _, _, err := s.SignInWith(ctx, claims("3", stale.Email), here); return err }},
		{"Accept with an account", func() error { _, _, err := s.Accept(ctx, known, here); return err }},
		{"Accept", func() error { _, _, err := s.Accept(ctx, newcomer, here); return err }},
		{"Invite", func() error { _, _, err := s.Invite(ctx, asOwner, org, "other@acme.example", "member"); return err }},
		{"Withdraw", func() error { return s.Withdraw(ctx, asOwner, org, withdrawn.ID) }},
		{"Decline", func() error { _, err := s.Decline(ctx, busy, declined.ID, here); return err }},
		{"ChangeRole", func() error { return s.ChangeRole(ctx, asOwner, org, member.ID, "admin") }},
		{"Remove", func() error { return s.Remove(ctx, asOwner, org, member.ID) }},
		{"Enroll", func() error { _, err := s.Enroll(ctx, anna); return err }},
		{"ChangePassword", func() error {
			_, err := s.ChangePassword(ctx, owner.ID, secret, "another horse battery", here)
			return err
		}},
		{"Verify", func() error { _, err := s.Verify(ctx, owner, secret); return err }},
		{"SetPassword", func() error { return s.SetPassword(ctx, owner, secret) }},
		{"SignedOut", func() error { return s.SignedOut(ctx, owner, here, "this one") }},
		{"Disable", func() error { return s.Disable(ctx, member, "left") }},
		{"Enable", func() error { return s.Enable(ctx, member) }},
		{"EndSessions", func() error { return s.EndSessions(ctx, owner) }},
		{"Unlink", func() error { _, err := s.Unlink(ctx, stale); return err }},
		{"SignIns", func() error { _, err := s.SignIns(ctx, owner.ID, 1); return err }},
	} {
		failures := int64(0)
		for {
			f.calls.Store(0)
			f.at.Store(failures + 1)
			err := c.do()
			s.Wait()
			if f.calls.Load() <= failures {
				if err != nil {
					t.Errorf("%s, without a failure: %v", c.name, err)
				}
				break
			}
			if failures++; !errors.Is(err, tokens.ErrUnavailable) {
				t.Errorf("%s, call %d fails: %v", c.name, failures, err)
			}
		}
		if failures == 0 {
			t.Errorf("%s calls no storage", c.name)
		}
	}
	f.at.Store(0)
}

// failing is storage and passwords of which one call fails.
type failing struct {
	people.Repository
	*password.Hasher
	calls, at atomic.Int64 // the number of the last call, and of the one that fails
}

func (f *failing) next() error {
	if f.calls.Add(1) == f.at.Load() {
		return tokens.ErrUnavailable
	}
	return nil
}

// or is do, unless this call fails.
func or[T any](f *failing, do func() (T, error)) (T, error) {
	if err := f.next(); err != nil {
		return *new(T), err
	}
	return do()
}

// only is do, unless this call fails.
func only(f *failing, do func() error) error {
	if err := f.next(); err != nil {
		return err
	}
	return do()
}

func (f *failing) Hash(ctx context.Context, text string) (string, error) {
	return or(f, func() (string, error) { return f.Hasher.Hash(ctx, text) })
}

func (f *failing) Verify(ctx context.Context, stored, text string) (right, stale bool, err error) {
	err = only(f, func() error { right, stale, err = f.Hasher.Verify(ctx, stored, text); return err })
	return right, stale, err
}

func (f *failing) User(ctx context.Context, id people.UserID) (people.User, error) {
	return or(f, func() (people.User, error) { return f.Repository.User(ctx, id) })
}

func (f *failing) Users(ctx context.Context) ([]people.Listed, error) {
	return or(f, func() ([]people.Listed, error) { return f.Repository.Users(ctx) })
}

func (f *failing) Account(ctx context.Context, email string) (people.Account, error) {
	return or(f, func() (people.Account, error) { return f.Repository.Account(ctx, email) })
}

func (f *failing) SetPassword(ctx context.Context, id people.UserID, old, text string) error {
	return only(f, func() error { return f.Repository.SetPassword(ctx, id, old, text) })
}

func (f *failing) UserWith(ctx context.Context, identity people.Identity) (people.User, error) {
	return or(f, func() (people.User, error) { return f.Repository.UserWith(ctx, identity) })
}

func (f *failing) Link(ctx context.Context, id people.UserID, identity people.Identity, e audit.Entry) error {
	return only(f, func() error { return f.Repository.Link(ctx, id, identity, e) })
}

func (f *failing) Unlink(ctx context.Context, id people.UserID, e audit.Entry) error {
	return only(f, func() error { return f.Repository.Unlink(ctx, id, e) })
}

func (f *failing) Record(ctx context.Context, id people.UserID, e audit.Entry) error {
	return only(f, func() error { return f.Repository.Record(ctx, id, e) })
}

func (f *failing) ChangeAccount(ctx context.Context, id people.UserID, decide func(*people.Account) (audit.Entry, error)) (people.User, error) {
	return or(f, func() (people.User, error) { return f.Repository.ChangeAccount(ctx, id, decide) })
}

func (f *failing) SignIns(ctx context.Context, id people.UserID, n int) ([]audit.Event, error) {
	return or(f, func() ([]audit.Event, error) { return f.Repository.SignIns(ctx, id, n) })
}

func (f *failing) Admit(ctx context.Context, a people.Admission) (people.Admitted, error) {
	return or(f, func() (people.Admitted, error) { return f.Repository.Admit(ctx, a) })
}

func (f *failing) Memberships(ctx context.Context, id people.UserID) ([]people.Membership, error) {
	return or(f, func() ([]people.Membership, error) { return f.Repository.Memberships(ctx, id) })
}

func (f *failing) Members(ctx context.Context, id tokens.OrgID) ([]people.Member, error) {
	return or(f, func() ([]people.Member, error) { return f.Repository.Members(ctx, id) })
}

func (f *failing) ChangeMember(ctx context.Context, id tokens.OrgID, user people.UserID, decide func(people.Member, int) (tokens.Role, audit.Entry, error)) error {
	return only(f, func() error { return f.Repository.ChangeMember(ctx, id, user, decide) })
}

func (f *failing) Invite(ctx context.Context, id tokens.OrgID, i people.Invitation, sum [32]byte, e audit.Entry, replace func(tokens.Role) error) error {
	return only(f, func() error { return f.Repository.Invite(ctx, id, i, sum, e, replace) })
}

func (f *failing) Invitations(ctx context.Context, id tokens.OrgID, at time.Time) ([]people.Invitation, error) {
	return or(f, func() ([]people.Invitation, error) { return f.Repository.Invitations(ctx, id, at) })
}

func (f *failing) Withdraw(ctx context.Context, id tokens.OrgID, i people.InvitationID, e audit.Entry) error {
	return only(f, func() error { return f.Repository.Withdraw(ctx, id, i, e) })
}

func (f *failing) InvitationWith(ctx context.Context, email string, sum [32]byte, at time.Time) (people.Offer, error) {
	return or(f, func() (people.Offer, error) { return f.Repository.InvitationWith(ctx, email, sum, at) })
}

func (f *failing) Offers(ctx context.Context, email string, at time.Time) ([]people.Offer, error) {
	return or(f, func() ([]people.Offer, error) { return f.Repository.Offers(ctx, email, at) })
}

func (f *failing) Attempt(ctx context.Context, key [32]byte, at time.Time, window time.Duration) (n int, since time.Time, err error) {
	err = only(f, func() error { n, since, err = f.Repository.Attempt(ctx, key, at, window); return err })
	return n, since, err
}

func (f *failing) ResetAttempts(ctx context.Context, key [32]byte) error {
	return only(f, func() error { return f.Repository.ResetAttempts(ctx, key) })
}

func (f *failing) ReturnAttempt(ctx context.Context, key [32]byte) error {
	return only(f, func() error { return f.Repository.ReturnAttempt(ctx, key) })
}

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
	config := people.Config{Passwords: cheap(1), NewID: publicid.New, Domains: map[string]people.Domain{
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
		if u, at, got := refused.Accept(t.Context(), invited, here); !errors.Is(got, want.code) || u != (people.User{}) || at != "" {
			t.Errorf("%v, by the code: %+v in %q, %v", err, u, at, got)
		}
		if _, _, got := refused.SignInWith(t.Context(), claims("1", invited.Email), here); !errors.Is(got, want.issuer) {
			t.Errorf("%v, by the issuer: %v", err, got)
		}
		if _, _, got := refused.SignInWith(t.Context(), claims("2", "dora@domain.example"), here); !errors.Is(got, want.domain) {
			t.Errorf("%v, by the domain: %v", err, got)
		}
	}
}
