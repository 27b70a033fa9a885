package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Mail sends what only the holder of an address may know, and notices.
type Mail interface {
	// Send sends the mail of that name to an address.
	Send(ctx context.Context, to, name string, l Letter) error
}

// Letter is what mails are about. Each uses a part of it.
type Letter struct {
	Email, Code string
	Invitation  Invitation
	Token       tokens.Token
	Membership  Membership
	By          audit.Actor
	Change      string // of how a person signs in: a whole sentence
	Client      ClientInfo
	At          time.Time
}

// CodeLife is how long a mailed code of an account is good. A newer one replaces it.
const CodeLife = 30 * time.Minute

// The purposes of codes, and the mails that have them. One for a purpose is good for no other.
const (
	purposeReset  = "reset"
	purposeVerify = "verify"
)

const (
	// mailsPerAddress bounds the mails for a purpose to an address within AttemptWindow, which is shorter
	// than CodeLife.
	mailsPerAddress = 3
	// mailTimeout is how long a mail may take that no response waits for.
	mailTimeout = 10 * time.Second
)

// ErrMail means that a mail was not sent. What it is about was done.
var ErrMail = errors.New("the mail was not sent")

// Mails reports whether the program sends mail.
func (s *Service) Mails() bool { return s.config.Mail != nil }

// RequestReset mails a code to the address if an account with a password has it, after the
// response, which does not show whether there is one. It gives a *ThrottledError for a client with too
// many requests. For an address with too many there is no further mail, whoever asked for them: the code of the
// last one is still good, so that others cannot keep the holder from resetting the password.
func (s *Service) RequestReset(ctx context.Context, email string, client ClientInfo) error {
	email = normalize(email)
	if _, err := s.attempt(ctx, ofAddress("mail", client)); err != nil {
		return err
	}
	_, err := s.attempt(ctx, newCount(mailsPerAddress, "mail", purposeReset, email))
	if _, spent := errors.AsType[*ThrottledError](err); spent {
		return nil
	}
	if err != nil {
		return err
	}
	s.background(ctx, func(ctx context.Context) error {
		a, err := s.account(ctx, email)
		if err == nil && a.Password != "" && a.DisabledAt.IsZero() {
			err = s.mailCode(ctx, a.User, purposeReset)
		}
		return err
	})
	return nil
}

// ResetPassword gives an account a new password by a mailed code, which proves that the
// address is its holder's, and ends its sessions. It gives ErrCode, a *ThrottledError and a
// tokens.ValidationError.
func (s *Service) ResetPassword(ctx context.Context, email, code, password string, client ClientInfo) error {
	a, err := s.account(ctx, normalize(email))
	if err != nil {
		return err
	}
	if !a.hasCode(purposeReset, code, s.Now()) {
		return s.wrongCode(ctx, client)
	}
	hash, err := s.newPassword(ctx, password, a.Email, "")
	if err != nil {
		return err
	}
	_, err = s.repo.ChangeAccount(ctx, a.ID, func(now *Account) (audit.Entry, error) {
		if !now.hasCode(purposeReset, code, s.Now()) || now.Password == "" || !now.DisabledAt.IsZero() {
			return audit.Entry{}, ErrCode
		}
		now.Password, now.PasswordTemporary = hash, false
		now.owned(s.Now())
		now.verified(s.Now())
		now.endSessions()
		return s.about(audit.UserPasswordReset, client.Actor(now.User), now.User), nil
	})
	return err
}

// RequestVerification mails a code that proves the address of a signed-in person. It gives
// a *ThrottledError and ErrMail.
func (s *Service) RequestVerification(ctx context.Context, u User, client ClientInfo) error {
	_, err := s.attempt(ctx, ofAddress("mail", client), newCount(mailsPerAddress, "mail", purposeVerify, u.Email))
	if err != nil {
		return err
	}
	return s.mailCode(ctx, u, purposeVerify)
}

// VerifyAddress verifies the address of a signed-in person by a mailed code. It gives
// ErrCode and a *ThrottledError.
func (s *Service) VerifyAddress(ctx context.Context, u User, code string, client ClientInfo) error {
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(now *Account) (audit.Entry, error) {
		if !now.hasCode(purposeVerify, code, s.Now()) {
			return audit.Entry{}, ErrCode
		}
		now.verified(s.Now())
		return s.about(audit.UserVerified, client.Actor(u), u), nil
	})
	if errors.Is(err, ErrCode) {
		return s.wrongCode(ctx, client)
	}
	return err
}

// mailCode stores the code of an account, and then sends it.
func (s *Service) mailCode(ctx context.Context, u User, purpose string) error {
	code := rand.Text()[:codeLen]
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(a *Account) (audit.Entry, error) {
		a.CodeSum, a.CodeExpiresAt = accountCodeSum(purpose, a.ID, code), s.Now().Add(CodeLife)
		return audit.Entry{}, nil
	})
	if err != nil {
		return err
	}
	return s.send(ctx, u.Email, purpose, Letter{Email: u.Email, Code: spell(code)})
}

// send sends a mail for which the response waits.
func (s *Service) send(ctx context.Context, to, name string, l Letter) error {
	if err := s.config.Mail.Send(ctx, to, name, l); err != nil {
		return fmt.Errorf("%w: %w", ErrMail, err)
	}
	return nil
}

// wrongCode counts an attempt at a code and returns ErrCode, or a *ThrottledError. The code has
// 100 random bits, so the right one is not counted.
func (s *Service) wrongCode(ctx context.Context, client ClientInfo) error {
	if _, err := s.attempt(ctx, ofAddress("code", client)); err != nil {
		return err
	}
	return ErrCode
}

func (a Account) hasCode(purpose, code string, at time.Time) bool {
	return a.CodeSum == accountCodeSum(purpose, a.ID, unspell(code)) && at.Before(a.CodeExpiresAt)
}

// verified marks the address as proved by the account's code, which it uses up.
func (a *Account) verified(at time.Time) {
	if a.VerifiedAt.IsZero() {
		a.VerifiedAt = at
	}
	a.CodeSum, a.CodeExpiresAt = "", time.Time{}
}

func accountCodeSum(purpose string, id UserID, code string) string {
	sum := sha256.Sum256([]byte(purpose + "\x00" + string(id) + "\x00" + code))
	return hex.EncodeToString(sum[:])
}
