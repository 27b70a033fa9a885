package people

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// SignIn returns whose e-mail address and password these are. It gives
// ErrRefused, ErrDisabled and a *ThrottledError.
func (s *Service) SignIn(ctx context.Context, email, password string, client ClientInfo) (User, error) {
	email = normalize(email)
	a, err := s.account(ctx, email)
	if err != nil {
		return User{}, err
	}
	succeeded, err := s.attempt(ctx, toSignIn(a, email, client))
	if err != nil {
		return User{}, errors.Join(err, s.recordSignIn(ctx, a.User, methodPassword, client, err))
	}
	refused := s.verify(ctx, a, password)
	if err := s.recordSignIn(ctx, a.User, methodPassword, client, refused); err != nil {
		return User{}, err
	}
	if refused != nil {
		return User{}, refused
	}
	if _, known := a.knows(client.Device); !known {
		s.notifySignIn(ctx, a.User, client, s.Now())
	}
	return a.User, succeeded(ctx)
}

// account returns the account with an e-mail address, or a zero one.
func (s *Service) account(ctx context.Context, email string) (Account, error) {
	a, err := s.repo.Account(ctx, email)
	if err != nil && !errors.Is(err, tokens.ErrNotFound) {
		return Account{}, fmt.Errorf("look an account up: %w", err)
	}
	return a, nil
}

// verify gives ErrRefused unless it is the account's password, and ErrDisabled
// if it is but the account is disabled. A zero account costs the same.
func (s *Service) verify(ctx context.Context, a Account, password string) error {
	if len(password) > maxPassword {
		return ErrRefused
	}
	right, err := s.passwords.Verify(ctx, a.Password, password)
	if err != nil {
		return fmt.Errorf("verify a password: %w", err)
	}
	switch {
	case !right:
		return ErrRefused
	case !a.DisabledAt.IsZero():
		return ErrDisabled
	}
	return nil
}

// SignInWith returns the user of an identity at the issuer. It makes an account
// for a verified e-mail address that is invited, without a membership: each
// invitation is accepted with Join. One in one of the domains becomes a member
// there. linked reports that this sign-in linked the identity to an account that
// existed before, whose password and sessions have ended. It gives ErrUnverified,
// ErrNotInvited, ErrLinkedElsewhere and ErrDisabled.
func (s *Service) SignInWith(ctx context.Context, c Claims, client ClientInfo) (u User, linked bool, err error) {
	u, linked, err = s.signInWith(ctx, c, client)
	if recorded := s.recordSignIn(ctx, u, methodIssuer, client, err); err != nil || recorded != nil {
		return User{}, false, errors.Join(err, recorded)
	}
	return u, linked, nil
}

// signInWith is SignInWith without the event. With ErrLinkedElsewhere and
// ErrDisabled it returns the account that exists, too.
func (s *Service) signInWith(ctx context.Context, c Claims, client ClientInfo) (u User, linked bool, err error) {
	email, proper := canonical(c.Email)
	verified := c.EmailVerified && proper
	c.Email = email
	u, err = s.repo.UserWith(ctx, c.Identity)
	known := err == nil
	switch {
	case err != nil && !errors.Is(err, tokens.ErrNotFound):
		return User{}, false, fmt.Errorf("look an identity up: %w", err)
	case !known && !verified:
		return User{}, false, ErrUnverified
	case !known:
		u, linked, err = s.claim(ctx, c, client)
		if err != nil {
			return u, false, err
		}
		known = linked
	}
	if !u.DisabledAt.IsZero() {
		return u, false, ErrDisabled
	}
	if !verified {
		return u, linked, nil
	}
	domain, ok := s.domains[c.Email[strings.LastIndex(c.Email, "@")+1:]]
	switch {
	case ok && (!known || linked) && domain.admits(c):
	case known:
		return u, linked, nil
	default:
		offers, err := s.offers(ctx, c.Email)
		if err != nil {
			return User{}, false, err
		}
		if len(offers) == 0 {
			return User{}, false, ErrNotInvited
		}
		domain = Domain{} // an account only
	}
	admitted, err := s.admit(ctx, domain, u, c, client)
	return admitted.User, linked || admitted.TakenOver, err
}

// claim links an identity to the account with its verified e-mail address, if
// there is one, and reports whether it has. The account's password and sessions
// end, because another person may have chosen that password; its memberships
// stay, because an invitation to that address made them.
func (s *Service) claim(ctx context.Context, c Claims, client ClientInfo) (u User, linked bool, err error) {
	a, err := s.account(ctx, c.Email)
	switch {
	case err != nil:
		return User{}, false, err
	case a.ID == "":
		return User{ID: UserID(s.newID("usr")), Email: c.Email, Name: claimedName(c.Name), CreatedAt: s.Now()}, false, nil
	case !a.DisabledAt.IsZero():
		return a.User, false, ErrDisabled
	}
	err = s.repo.Link(ctx, a.ID, c.Identity, s.linked(client.Actor(a.User), a.User, c.Identity))
	if errors.Is(err, tokens.ErrExists) {
		return a.User, false, ErrLinkedElsewhere
	}
	if err != nil {
		return User{}, false, fmt.Errorf("link an identity: %w", err)
	}
	u, err = s.User(ctx, a.ID)
	return u, true, err
}

// admit makes the person a member of the domain's organization, if it has one,
// and the account unless it exists.
func (s *Service) admit(ctx context.Context, d Domain, u User, c Claims, client ClientInfo) (Admitted, error) {
	admitted, err := s.repo.Admit(ctx, Admission{
		Organization: d.Organization, User: u, Role: d.Role, Identity: &c.Identity, Existing: TakeOver, UnlessRemoved: true,
		Entry: s.joined(client.Actor(u), u.Email, d.Role), TakeOverEntry: s.linked(client.Actor(u), u, c.Identity),
	})
	if errors.Is(err, tokens.ErrExists) {
		return Admitted{}, ErrLinkedElsewhere
	}
	if err != nil {
		return Admitted{}, fmt.Errorf("admit user %s: %w", u.ID, err)
	}
	return admitted, nil
}

// linked is the audit log's entry of an identity that becomes an account's.
func (s *Service) linked(actor audit.Actor, u User, i Identity) audit.Entry {
	return s.entry(audit.UserIdentityLinked, actor, string(u.ID), map[string]string{"email": u.Email, "issuer": i.Issuer})
}
