package people

import (
	"context"
	"crypto/rand"
	"maps"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	pass "github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// ChangePassword replaces the password of a person who knows the current one, and ends all of their sessions. It
// returns the account as it is then. It gives ErrRefused when the current password is wrong or there is none, ErrEnded,
// a *ThrottledError, and a tokens.ValidationError about the field password.
func (s *Service) ChangePassword(
	ctx context.Context, id UserID, current, password string, client ClientInfo,
) (User, error) {
	a, err := s.Find(ctx, string(id))
	if err != nil {
		return User{}, err
	}
	u := a.User
	succeeded, err := s.attempt(ctx, newCount(AttemptsPerDevice, "change of password", string(id)))
	if err == nil {
		err = s.verify(ctx, a, current, client)
	}
	if err != nil {
		return User{}, s.recordSignIn(ctx, u, methodChange, client, err)
	}
	if err := succeeded(ctx); err != nil {
		return User{}, err
	}
	hash, err := s.newPassword(ctx, password, u.Email, current, client)
	if err != nil {
		return User{}, err
	}
	return s.repo.ChangeAccount(ctx, id, func(now *Account) (audit.Entry, error) {
		if err := now.as(u); err != nil {
			return audit.Entry{}, err
		}
		now.Password, now.PasswordTemporary = hash, false
		now.endSessions()
		e := s.about(audit.UserPasswordChanged, client.Actor(u), u)
		e.Mails = s.changed(u, client, "Your password was changed.")
		return e, nil
	})
}

// Rename gives a person another name. It gives ErrEnded and a tokens.ValidationError.
func (s *Service) Rename(ctx context.Context, u User, name string, client ClientInfo) error {
	var wrong faults
	name = wrong.name(name, 0)
	if err := wrong.OrNil(); err != nil {
		return err
	}
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(now *Account) (audit.Entry, error) {
		e := s.about(audit.UserRenamed, client.Actor(u), u)
		e.Details["name"], e.Details["name_before"] = name, now.Name
		now.Name = name
		return e, now.as(u)
	})
	return err
}

// newPassword returns the stored form of a password that follows the rules and is not the current one.
func (s *Service) newPassword(
	ctx context.Context, password, email, current string, client ClientInfo,
) (string, error) {
	var wrong faults
	wrong.password(password, email)
	if current != "" && password == current {
		wrong.Add("password", tokens.InvalidValue, "must not be the current one")
	}
	if err := wrong.OrNil(); err != nil {
		return "", err
	}
	return s.config.Passwords.Hash(ctx, pass.From{Network: address.Site(client.Address)}, password)
}

// Find returns the account with an id or an e-mail address, or tokens.ErrNotFound.
func (s *Service) Find(ctx context.Context, idOrEmail string) (Account, error) {
	return s.repo.Account(ctx, normalize(idOrEmail))
}

// SetPassword gives an account a password, which its holder must change at sign-in, verifies its address, because the
// operator hands the password to the person who owns it, and ends all of its sessions. It gives a
// tokens.ValidationError.
func (s *Service) SetPassword(ctx context.Context, u User, password string) error {
	hash, err := s.newPassword(ctx, password, u.Email, "", ClientInfo{})
	if err != nil {
		return err
	}
	return s.operate(ctx, u, audit.UserPasswordSet, nil, func(a *Account) {
		a.Password, a.PasswordTemporary = hash, true
		a.proveAddress(s.Now())
		a.endSessions()
	})
}

// operate changes an account as an operator. One that does not change has no event.
func (s *Service) operate(
	ctx context.Context, u User, action audit.Action, details map[string]string, change func(*Account),
) error {
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(a *Account) (audit.Entry, error) {
		change(a)
		e := s.about(action, audit.CommandLine, u)
		maps.Copy(e.Details, details)
		return e, nil
	})
	return err
}

// Disable keeps an account from being used and ends all of its sessions. One
// that is disabled stays as it is. It gives ErrLastOwner.
func (s *Service) Disable(ctx context.Context, u User, reason string) error {
	return s.operate(ctx, u, audit.UserDisabled, map[string]string{"reason": reason}, func(a *Account) {
		if a.DisabledAt.IsZero() {
			a.DisabledAt = s.Now()
			a.endSessions()
		}
	})
}

// Enable lets a disabled account be used again, with the password it had.
func (s *Service) Enable(ctx context.Context, u User) error {
	return s.operate(ctx, u, audit.UserEnabled, nil, func(a *Account) { a.DisabledAt = time.Time{} })
}

// Unlink removes an account's identities at issuers and ends its sessions. The address then counts as not verified; the
// next person whose issuer asserts it gets the account with its memberships. It reports whether there was one.
func (s *Service) Unlink(ctx context.Context, u User) (done bool, err error) {
	err = s.operate(ctx, u, audit.UserIdentityUnlinked, nil, func(a *Account) {
		if done = a.Linked; done {
			a.Linked, a.VerifiedAt = false, time.Time{}
			a.endSessions()
		}
	})
	return done, err
}

// ForgetSignIn ends every way to sign in to an account with a password: it gets one that is not known, to be reset by
// mail or by an operator, and has no factors. All sessions of the account end.
func (s *Service) ForgetSignIn(ctx context.Context, u User, reason string) error {
	hash, err := s.newPassword(ctx, rand.Text(), u.Email, "", ClientInfo{})
	if err != nil {
		return err
	}
	return s.operate(ctx, u, audit.UserPasswordSet, map[string]string{"reason": reason}, func(a *Account) {
		a.Password, a.Reset = hash, MailedCode{}
		a.RemoveFactors()
		a.endSessions()
	})
}

// about is the audit log's entry of something that was done to an account.
func (s *Service) about(action audit.Action, actor audit.Actor, u User) audit.Entry {
	return s.entry(action, actor, string(u.ID), map[string]string{"email": u.Email})
}
