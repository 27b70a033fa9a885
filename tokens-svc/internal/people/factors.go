package people

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/people/totp"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// recoveryCodes is how many an account gets with its authenticator app. Each works once.
const recoveryCodes = 10

// purposeRecovery is that of recovery codes: see accountCodeSum.
const purposeRecovery = "recovery"

// Factors are the ways in which a person can prove who they are.
type Factors struct {
	Password      bool
	App           bool
	RecoveryCodes int // unused ones
	Passkeys      []passkey.Passkey
}

// Factors returns those of an account.
func (s *Service) Factors(ctx context.Context, u User) (Factors, error) {
	a, err := s.Find(ctx, string(u.ID))
	return Factors{
		Password: a.Password != "", App: a.TOTPKey != "", Passkeys: a.Passkeys,
		RecoveryCodes: len(strings.Fields(a.RecoveryCodes)),
	}, err
}

// Apps reports whether people can add an authenticator app.
func (s *Service) Apps() bool { return s.config.AppKeys != nil }

// NewApp returns a new key for a person's authenticator app, sealed.
func (s *Service) NewApp(u User) string { return s.sealApp(u.ID, totp.New()) }

// App returns what the app must read: the key as text and as URL.
func (s *Service) App(u User, sealed string) (secret, url string, err error) {
	key, err := s.openApp(u.ID, sealed)
	if err != nil {
		return "", "", err
	}
	e, err := totp.Enrolment(key, u.Email)
	if err != nil {
		return "", "", err
	}
	return e.Secret(), e.URL(), nil
}

// AddApp gives an account an authenticator app that shows the right code, and returns recovery codes, which nothing can
// return again. It gives ErrFactor, tokens.ErrForbidden for an account without a password, and a *ThrottledError.
func (s *Service) AddApp(ctx context.Context, u User, sealed, code string, client ClientInfo) ([]string, error) {
	codes, sums := make([]string, recoveryCodes), make([]string, recoveryCodes)
	for i := range codes {
		text := rand.Text()[:codeLen]
		codes[i], sums[i] = spell(text), accountCodeSum(purposeRecovery, u.ID, text)
	}
	return codes, s.tryCode(ctx, u, func() error {
		return s.changeFactor(ctx, u, client, audit.UserFactorAdded, func(a *Account) (string, error) {
			a.TOTPKey, a.TOTPStep, a.RecoveryCodes = sealed, 0, strings.Join(sums, " ")
			return appFactor, s.useApp(a, code)
		})
	})
}

// RemoveApp removes an account's authenticator app and recovery codes.
func (s *Service) RemoveApp(ctx context.Context, u User, client ClientInfo) error {
	return s.changeFactor(ctx, u, client, audit.UserFactorRemoved, func(a *Account) (string, error) {
		a.TOTPKey, a.TOTPStep, a.RecoveryCodes = "", 0, ""
		return appFactor, nil
	})
}

// appFactor is the authenticator app in audit events and mails.
const appFactor = "authenticator app"

// changeFactor changes how a person signs in, and notifies them by mail. change returns the name of the factor.
// It gives tokens.ErrForbidden for an account without a password, and ErrEnded.
func (s *Service) changeFactor(ctx context.Context, u User, client ClientInfo, action audit.Action,
	change func(*Account) (factor string, err error),
) error {
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(a *Account) (audit.Entry, error) {
		if a.Password == "" {
			return audit.Entry{}, tokens.ErrForbidden
		}
		if err := a.as(u); err != nil {
			return audit.Entry{}, err
		}
		factor, err := change(a)
		done := map[audit.Action]string{audit.UserFactorAdded: "added to", audit.UserFactorRemoved: "removed from"}[action]
		e := s.about(action, client.Actor(u), u)
		e.Details["factor"] = factor
		e.Mails = s.changed(u, client, "The "+factor+" was "+done+" your account.")
		return e, err
	})
	return err
}

// SignInWithCode completes SignIn of a person, as it returned them, by a code of their authenticator app or a recovery
// code. It gives ErrFactor, also when their sessions ended meanwhile, ErrDisabled and a *ThrottledError.
func (s *Service) SignInWithCode(ctx context.Context, u User, code string, client ClientInfo) (User, error) {
	method := methodCode
	err := s.tryCode(ctx, u, func() error {
		_, err := s.repo.ChangeAccount(ctx, u.ID, func(now *Account) (audit.Entry, error) {
			switch {
			case now.SessionEpoch != u.SessionEpoch:
				return audit.Entry{}, ErrFactor
			case !now.DisabledAt.IsZero():
				return audit.Entry{}, ErrDisabled
			case now.useRecoveryCode(code):
				method = methodRecovery
				return audit.Entry{At: s.Now(), Mails: s.changed(u, client,
					"A recovery code was used to sign in. Each works once.")}, nil
			}
			return audit.Entry{}, s.useApp(now, code)
		})
		return err
	})
	if err := s.recordSignIn(ctx, u, method, client, err); err != nil {
		return User{}, err
	}
	return u, nil
}

// tryCode counts an attempt at a code unless try succeeds. Only who knows the password gets here, so
// that others cannot use the attempts up.
func (s *Service) tryCode(ctx context.Context, u User, try func() error) error {
	succeeded, err := s.attempt(ctx, newCount(AttemptsPerDevice, "code", string(u.ID)))
	if err == nil {
		err = try()
	}
	if err != nil {
		return err
	}
	return succeeded(ctx)
}

// useApp accepts a code of the authenticator app once, or gives ErrFactor.
func (s *Service) useApp(a *Account, code string) error {
	if a.TOTPKey == "" {
		return ErrFactor
	}
	key, err := s.openApp(a.ID, a.TOTPKey)
	if err != nil {
		return err
	}
	step, ok := totp.Accept(key, unspell(code), s.Now(), a.TOTPStep)
	if !ok {
		return ErrFactor
	}
	a.TOTPKey, a.TOTPStep = s.sealApp(a.ID, key), step // under the newest key
	return nil
}

// useRecoveryCode removes a recovery code and reports whether there was such a one.
func (a *Account) useRecoveryCode(code string) bool {
	sums := strings.Fields(a.RecoveryCodes)
	at := slices.Index(sums, accountCodeSum(purposeRecovery, a.ID, unspell(code)))
	if at < 0 {
		return false
	}
	a.RecoveryCodes = strings.Join(slices.Delete(sums, at, at+1), " ")
	return true
}

func appOf(id UserID) string { return "authenticator app " + string(id) }

func (s *Service) sealApp(id UserID, key []byte) string {
	return base64.StdEncoding.EncodeToString(s.config.AppKeys.Seal(key, appOf(id)))
}

func (s *Service) openApp(id UserID, sealed string) ([]byte, error) {
	text, err := base64.StdEncoding.DecodeString(sealed)
	if err == nil && s.config.AppKeys == nil {
		err = errors.New("TOTP_KEYS is not set")
	}
	if err == nil {
		text, err = s.config.AppKeys.Open(text, appOf(id))
	}
	if err != nil {
		return nil, fmt.Errorf("key of the authenticator app of user %s: %w", id, err)
	}
	return text, nil
}

// RemoveFactors removes the authenticator app, the recovery codes and the passkeys.
func (a *Account) RemoveFactors() {
	a.TOTPKey, a.TOTPStep, a.RecoveryCodes, a.Passkeys = "", 0, "", nil
}

// RemoveFactors is for a person who lost them: the password alone signs in again. All sessions of the account end.
func (s *Service) RemoveFactors(ctx context.Context, u User) error {
	return s.operate(ctx, u, audit.UserFactorRemoved, map[string]string{"factor": "all"}, func(a *Account) {
		a.RemoveFactors()
		a.endSessions()
	})
}

// proveAddress marks the address as proved by its owner. Factors of an account that was not verified before
// may be another person's.
func (a *Account) proveAddress(at time.Time) {
	if a.VerifiedAt.IsZero() {
		a.VerifiedAt = at
		a.RemoveFactors()
	}
}
