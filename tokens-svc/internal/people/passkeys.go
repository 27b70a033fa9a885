package people

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// maxPasskeys bounds the passkeys of an account.
const maxPasskeys = 20

// Passkeys are used with ceremonies of package passkey: what Begin… returns goes to the browser, and to
// the method that finishes the ceremony.

// Passkeys reports whether people can add and use passkeys.
func (s *Service) Passkeys() bool { return s.config.Passkeys != nil }

// BeginPasskey begins the ceremony in which a person's browser makes a passkey.
func (s *Service) BeginPasskey(ctx context.Context, u User) (options any, ceremony string, err error) {
	a, err := s.Find(ctx, string(u.ID))
	if err != nil {
		return nil, "", err
	}
	return s.config.Passkeys.BeginAdd(a.holder())
}

// AddPasskey stores the passkey that a browser made. It gives ErrFactor, tokens.ErrForbidden for an account
// without a password, and a tokens.ValidationError.
func (s *Service) AddPasskey(
	ctx context.Context, u User, name, ceremony, response string, client ClientInfo,
) error {
	var wrong faults
	name = wrong.name(name, 1)
	if err := wrong.OrNil(); err != nil {
		return err
	}
	made, err := s.config.Passkeys.FinishAdd(passkey.Holder{ID: string(u.ID)}, ceremony, response)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrFactor, err)
	}
	made.Name, made.AddedAt = name, s.Now()
	return s.changeFactor(ctx, u, client, audit.UserFactorAdded, func(a *Account) (string, error) {
		if n := len(a.Passkeys); n >= maxPasskeys {
			wrong.Add("name", tokens.InvalidValue, "cannot be given: the account has %d passkeys; remove one first", n)
		}
		a.Passkeys = append(a.Passkeys, made)
		return "passkey " + name, wrong.OrNil()
	})
}

// RemovePasskey removes a passkey. It gives tokens.ErrNotFound when the account does not have it.
func (s *Service) RemovePasskey(ctx context.Context, u User, id string, client ClientInfo) error {
	return s.changeFactor(ctx, u, client, audit.UserFactorRemoved, func(a *Account) (string, error) {
		at := a.Passkeys.Index(id)
		if at < 0 {
			return "", fmt.Errorf("passkey of user %s: %w", u.ID, tokens.ErrNotFound)
		}
		name := a.Passkeys[at].Name
		a.Passkeys = slices.Delete(a.Passkeys, at, at+1)
		return "passkey " + name, nil
	})
}

// BeginSignIn begins the ceremony in which a browser finds a passkey and proves to have it.
func (s *Service) BeginSignIn() (options any, ceremony string, err error) {
	return s.config.Passkeys.BeginSignIn()
}

// SignInWithPasskey returns the person whose passkey signed. It gives ErrFactor, ErrDisabled and a *ThrottledError.
func (s *Service) SignInWithPasskey(ctx context.Context, ceremony, response string, client ClientInfo) (User, error) {
	succeeded, err := s.attempt(ctx, ofAddress("passkey", client))
	if err != nil {
		return User{}, err
	}
	var a Account
	recognized := succeeded
	h, used, err := s.config.Passkeys.FinishSignIn(ceremony, response, func(id string) (passkey.Holder, error) {
		if !utf8.ValidString(id) || strings.ContainsRune(id, 0) { // the browser sends it: Postgres takes text only
			return passkey.Holder{}, tokens.ErrNotFound
		}
		var err error
		if a, err = s.Find(ctx, id); err == nil {
			recognized, err = s.attempt(ctx, ofPasskeys(a, client))
		}
		return a.holder(), err
	})
	if errors.Is(err, tokens.ErrNotFound) || errors.Is(err, passkey.ErrInvalid) {
		err = fmt.Errorf("%w: %w", ErrFactor, err)
	}
	u := User{ID: UserID(h.ID), Email: h.Name}
	if u.ID == "" {
		return User{}, err
	}
	now := u
	if err == nil {
		now, err = s.usePasskey(ctx, u.ID, used)
	}
	if err := s.recordSignIn(ctx, u, methodPasskey, client, err, s.signedIn(a, client)...); err != nil {
		return User{}, err
	}
	return now, errors.Join(succeeded(ctx), recognized(ctx))
}

// usePasskey stores what a signature changed of a passkey.
func (s *Service) usePasskey(ctx context.Context, id UserID, used passkey.Passkey) (User, error) {
	used.UsedAt = s.Now()
	return s.repo.ChangeAccount(ctx, id, func(a *Account) (audit.Entry, error) {
		if !a.DisabledAt.IsZero() {
			return audit.Entry{}, ErrDisabled
		}
		at := a.Passkeys.Index(used.ID())
		if at < 0 {
			return audit.Entry{}, ErrFactor // it was removed a moment ago
		}
		a.Passkeys[at] = used
		return audit.Entry{}, nil
	})
}
