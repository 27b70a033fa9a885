package people

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// CodeLife is how long a mailed code of an account is good. A newer one replaces it.
const CodeLife = 30 * time.Minute

// The purposes of codes, and the mails that have them. One for a purpose is good for no other.
const (
	purposeReset  = "reset"
	purposeVerify = "verify"
)

// mailsPerAddress bounds the mails for a purpose to an address within AttemptWindow, which is shorter than CodeLife.
const mailsPerAddress = 3

// RequestReset mails a code to the address if an account with a password has it when the mail is sent: the
// response does not show whether there is one. It gives a *ThrottledError for a client with too
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
	return s.repo.StoreMail(ctx, s.Now(), audit.Mail{To: email, Name: purposeReset})
}

// ResetPassword gives an account a new password by a mailed code, which proves that the address is its holder's, and
// ends its sessions. It gives ErrCode, a *ThrottledError and a tokens.ValidationError.
func (s *Service) ResetPassword(ctx context.Context, email, code, password string, client ClientInfo) (User, error) {
	a, err := s.account(ctx, normalize(email))
	if err != nil {
		return User{}, err
	}
	if !a.hasCode(purposeReset, code, s.Now()) {
		return User{}, s.wrongCode(ctx, client)
	}
	hash, err := s.newPassword(ctx, password, a.Email, "", client)
	if err != nil {
		return User{}, err
	}
	return s.repo.ChangeAccount(ctx, a.ID, func(now *Account) (audit.Entry, error) {
		if !now.hasCode(purposeReset, code, s.Now()) || now.Password == "" || !now.DisabledAt.IsZero() {
			return audit.Entry{}, ErrCode
		}
		now.Password, now.PasswordTemporary = hash, false
		now.proveAddress(s.Now())
		now.Reset = MailedCode{}
		now.endSessions()
		e := s.about(audit.UserPasswordReset, client.Actor(now.User), now.User)
		e.Mails = s.changed(now.User, client, "Your password was reset by a mailed code.")
		return e, nil
	})
}

// RequestVerification mails a code that proves the address of a signed-in person. It gives a *ThrottledError.
func (s *Service) RequestVerification(ctx context.Context, u User, client ClientInfo) error {
	_, err := s.attempt(ctx, ofAddress("mail", client), newCount(mailsPerAddress, "mail", purposeVerify, u.Email))
	if err != nil {
		return err
	}
	return s.repo.StoreMail(ctx, s.Now(), audit.Mail{To: u.Email, Name: purposeVerify})
}

// VerifyAddress verifies the address of a signed-in person by a mailed code. It gives
// ErrCode, ErrEnded and a *ThrottledError.
func (s *Service) VerifyAddress(ctx context.Context, u User, code string, client ClientInfo) error {
	_, err := s.repo.ChangeAccount(ctx, u.ID, func(now *Account) (audit.Entry, error) {
		if !now.hasCode(purposeVerify, code, s.Now()) {
			return audit.Entry{}, ErrCode
		}
		if now.VerifiedAt.IsZero() {
			now.VerifiedAt = s.Now()
		}
		now.Verify = MailedCode{}
		return s.about(audit.UserVerified, client.Actor(u), u), now.as(u)
	})
	if errors.Is(err, ErrCode) {
		return s.wrongCode(ctx, client)
	}
	return err
}

// wrongCode counts an attempt at a code and returns ErrCode, or a *ThrottledError. The code has
// 100 random bits, so the right one is not counted.
func (s *Service) wrongCode(ctx context.Context, client ClientInfo) error {
	if _, err := s.attempt(ctx, ofAddress("code", client)); err != nil {
		return err
	}
	return ErrCode
}

// code returns that for a purpose.
func (a *Account) code(purpose string) *MailedCode {
	if purpose == purposeReset {
		return &a.Reset
	}
	return &a.Verify
}

func (a *Account) hasCode(purpose, code string, at time.Time) bool {
	mailed := a.code(purpose)
	return mailed.Sum == accountCodeSum(purpose, a.ID, unspell(code)) && at.Before(mailed.ExpiresAt)
}

func accountCodeSum(purpose string, id UserID, code string) string {
	sum := sha256.Sum256([]byte(purpose + "\x00" + string(id) + "\x00" + code))
	return hex.EncodeToString(sum[:])
}
