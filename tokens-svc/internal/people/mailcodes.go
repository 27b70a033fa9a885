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
	SendInvitation(ctx context.Context, o Offer, code string) error
	SendReset(ctx context.Context, email, code string) error
	SendVerification(ctx context.Context, email, code string) error

	SendMade(ctx context.Context, to string, actor audit.Actor, t tokens.Token) error
	SendExpiring(ctx context.Context, to string, t tokens.Token) error
	SendSignIn(ctx context.Context, to string, client ClientInfo, at time.Time) error
	// SendFactor tells of a change of how somebody signs in: a whole sentence.
	SendFactor(ctx context.Context, to, change string, client ClientInfo, at time.Time) error
	SendRole(ctx context.Context, to string, m Membership, by audit.Actor) error
}

// CodeLife is how long a mailed code of an account is good. A newer one replaces it.
const CodeLife = 30 * time.Minute

// The purposes of codes. One for a purpose is good for no other.
const (
	purposeReset  = "reset"
	purposeVerify = "verify"
)

const (
	// mailsPerAddress bounds the mails for a purpose to an address within AttemptWindow, which is shorter than CodeLife.
	mailsPerAddress = 3
	// mailTimeout is how long a mail may take that no response waits for.
	mailTimeout = 10 * time.Second
)

// ErrMail means that a mail was not sent. What it is about was done.
var ErrMail = errors.New("the mail was not sent")

// Mails reports whether the program sends mail.
func (s *Service) Mails() bool { return s.mail != nil }

// RequestReset mails a code to the address if an account with a password has it, after the
// response, which does not show whether there is one. It gives a *ThrottledError for a client with too
// many requests. For an address with too many there is no further mail, whoever asked for them: the code of the
// last one is still good, so that others cannot keep the holder from resetting the password.
func (s *Service) RequestReset(ctx context.Context, email string, client ClientInfo) error {
	email = normalize(email)
	if _, err := s.attempt(ctx, []count{ofAddress("mail", client)}); err != nil {
		return err
	}
	_, err := s.attempt(ctx, []count{newCount(mailsPerAddress, "mail", purposeReset, email)})
	if _, spent := errors.AsType[*ThrottledError](err); spent {
		return nil
	}
	if err != nil {
		return err
	}
	s.background(ctx, func(ctx context.Context) error {
		a, err := s.account(ctx, email)
		if err == nil && a.Password != "" && a.DisabledAt.IsZero() {
			err = s.mailCode(ctx, a.User, purposeReset, s.mail.SendReset)
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
	_, err = s.changeAccount(ctx, a.ID, func(now *Account) (audit.Entry, error) {
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
	_, err := s.attempt(ctx, []count{
		ofAddress("mail", client), newCount(mailsPerAddress, "mail", purposeVerify, u.Email),
	})
	if err != nil {
		return err
	}
	return s.mailCode(ctx, u, purposeVerify, s.mail.SendVerification)
}

// VerifyAddress verifies the address of a signed-in person by a mailed code. It gives
// ErrCode and a *ThrottledError.
func (s *Service) VerifyAddress(ctx context.Context, u User, code string, client ClientInfo) error {
	_, err := s.changeAccount(ctx, u.ID, func(now *Account) (audit.Entry, error) {
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
func (s *Service) mailCode(
	ctx context.Context, u User, purpose string, send func(ctx context.Context, email, code string) error,
) error {
	code := rand.Text()[:codeLen]
	_, err := s.changeAccount(ctx, u.ID, func(a *Account) (audit.Entry, error) {
		a.CodeSum, a.CodeExpiresAt = accountCodeSum(purpose, a.ID, code), s.Now().Add(CodeLife)
		return audit.Entry{}, nil
	})
	if err != nil {
		return err
	}
	if err := send(ctx, u.Email, spell(code)); err != nil {
		return fmt.Errorf("%w: %w", ErrMail, err)
	}
	return nil
}

// wrongCode counts an attempt at a code and returns ErrCode, or a *ThrottledError. The code has
// 100 random bits, so the right one is not counted.
func (s *Service) wrongCode(ctx context.Context, client ClientInfo) error {
	if _, err := s.attempt(ctx, []count{ofAddress("code", client)}); err != nil {
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
	a.CodeSum, a.CodeExpiresAt = "", User{}.DisabledAt
}

func accountCodeSum(purpose string, id UserID, code string) string {
	sum := sha256.Sum256([]byte(purpose + "\x00" + string(id) + "\x00" + code))
	return hex.EncodeToString(sum[:])
}

// sendInvitation mails an invitation.
func (s *Service) sendInvitation(ctx context.Context, org tokens.OrgID, i Invitation, code string) error {
	offers, err := s.offers(ctx, i.Email)
	if err != nil {
		return err
	}
	for _, o := range offers {
		if o.ID == i.ID && o.Organization == org {
			if err := s.mail.SendInvitation(ctx, o, code); err != nil {
				return fmt.Errorf("%w: %w", ErrMail, err)
			}
		}
	}
	return nil
}
