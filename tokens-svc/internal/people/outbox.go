package people

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// A mail is stored in the transaction of what it is about, and sent afterwards by one of the replicas: at least once,
// unless it expires before. Codes are made when a mail is sent; no mail is stored with one.

// Mail sends mails.
type Mail interface {
	// Send sends a mail. With an error it may or may not arrive.
	Send(ctx context.Context, d Delivery) error
}

// Letter is what mails are about. Each uses a part of it.
type Letter struct {
	Email      string       `json:",omitzero"`
	Code       string       `json:"-"`
	Invitation Invitation   `json:",omitzero"`
	Token      tokens.Token `json:",omitzero"`
	Membership Membership   `json:",omitzero"`
	By         audit.Actor  `json:",omitzero"`
	Change     string       `json:",omitzero"` // of how a person signs in: a whole sentence
	Client     ClientInfo   `json:",omitzero"`
	At         time.Time    `json:",omitzero"`
}

// Delivery is one attempt to send a mail.
type Delivery struct {
	To, Name  string
	About     string   // an organization or an account
	Letters   []Letter // oldest first
	Events    int      // with those of which there is no letter
	Attempts  int      // with this one
	ExpiresAt time.Time
}

// More returns the number of events without a letter.
func (d Delivery) More() int { return d.Events - len(d.Letters) }

// MailInvitation is the mail with the code of an invitation.
const MailInvitation = "invitation"

// MailKind is the bounds of the mails with a name.
type MailKind struct {
	Life    time.Duration // for how long it is sent again
	Pause   time.Duration // between two mails to an address, in which further events are gathered
	Letters int           // how many events a mail describes
}

// MailKindOf returns the kind of the mails with a name.
func MailKindOf(name string) MailKind {
	switch name {
	case purposeReset, purposeVerify:
		return MailKind{Life: CodeLife, Letters: 1}
	case MailInvitation:
		return MailKind{Life: InvitationLife, Pause: time.Minute, Letters: 1}
	}
	return MailKind{Life: 3 * 24 * time.Hour, Pause: 10 * time.Minute, Letters: 20}
}

const (
	// mailTimeout is the time for one attempt to send a mail, and mailLease that after which another replica tries.
	mailTimeout = 10 * time.Second
	mailLease   = time.Minute
	// After a failure the wait doubles from mailRetry to mailRetryAtMost.
	mailRetry       = 10 * time.Second
	mailRetryAtMost = time.Hour
)

// Mails reports whether the program sends mail.
func (s *Service) Mails() bool { return s.config.Mail != nil }

// notices returns a mail to each address about an event at this time, or none if the program sends no mail.
func (s *Service) notices(name string, l Letter, to ...string) (all []audit.Mail) {
	l.At = s.Now()
	for _, address := range to {
		if s.Mails() {
			all = append(all, audit.Mail{To: address, Name: name, Letter: l})
		}
	}
	return all
}

// changed returns the mail about a change of how a person signs in, which is a whole sentence.
func (s *Service) changed(u User, client ClientInfo, sentence string) []audit.Mail {
	return s.notices("factor", Letter{Change: sentence, Client: client}, u.Email)
}

// signedIn returns the mail about a sign-in, unless the account was signed in to in that browser before.
func (s *Service) signedIn(a Account, client ClientInfo) []audit.Mail {
	if _, known := a.knows(client.Device); known {
		return nil
	}
	return s.notices("sign-in", Letter{Client: client}, a.Email)
}

// NoticesOfToken returns the mails to the holders of a token, which a program or person made in their name.
func (s *Service) NoticesOfToken(actor audit.Actor, t tokens.Token, holders []string) []audit.Mail {
	return s.notices("made", Letter{Token: t, By: actor}, holders...)
}

// NotifyExpiring stores mails to the holders of tokens that end within tokens.ExpiringWithin, once for each end.
func (s *Service) NotifyExpiring(ctx context.Context) error {
	if !s.Mails() {
		return nil
	}
	now := s.Now()
	return s.repo.NotifyExpiring(ctx, now, now.Add(tokens.ExpiringWithin),
		func(t tokens.Token, holders []string) []audit.Mail {
			return s.notices("expiring", Letter{Token: t}, holders...)
		})
}

// Deliver sends the mails that are due, until one fails, and returns how many were sent or given up.
func (s *Service) Deliver(ctx context.Context) (n int, err error) {
	for s.Mails() && ctx.Err() == nil && err == nil {
		var d Delivery
		if d, err = s.repo.ClaimMail(ctx, s.Now(), s.Now().Add(mailLease)); errors.Is(err, tokens.ErrNotFound) {
			return n, nil
		}
		if err == nil {
			err = s.deliver(context.WithoutCancel(ctx), d)
		}
		if err == nil {
			n++
		}
	}
	return n, err
}

// deliver sends a mail, and gives up what has expired.
func (s *Service) deliver(ctx context.Context, d Delivery) error {
	if !s.Now().Before(d.ExpiresAt) {
		s.config.Log.ErrorContext(ctx, "a mail expired before it could be sent", "name", d.Name, "about", d.About,
			"events", d.Events, "attempts", d.Attempts-1)
		return s.repo.SettleMail(ctx, d, s.Now())
	}
	wait, err := MailKindOf(d.Name).Pause, s.send(ctx, d)
	switch {
	case errors.Is(err, tokens.ErrNotFound):
		wait, err = 0, nil
	case err != nil:
		wait = min(mailRetry<<min(d.Attempts-1, 10), mailRetryAtMost)
		d.Letters, d.Events = nil, 0
	}
	return errors.Join(err, s.repo.SettleMail(ctx, d, s.Now().Add(wait)))
}

// send makes one attempt, within mailTimeout. It gives tokens.ErrNotFound when there is nothing to send any more.
func (s *Service) send(ctx context.Context, d Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, mailTimeout)
	defer cancel()
	d, err := s.withCode(ctx, d)
	if err == nil {
		err = s.config.Mail.Send(ctx, d)
	}
	return err
}

// withCode returns a mail with its code, which replaces that of an earlier mail, or a mail that has none as it is. It
// gives tokens.ErrNotFound when there is nothing that the code would be good for.
func (s *Service) withCode(ctx context.Context, d Delivery) (Delivery, error) {
	code := rand.Text()[:codeLen]
	l := Letter{Email: d.To, Code: spell(code)}
	var err error
	switch d.Name {
	default:
		return d, nil
	case MailInvitation:
		l.Invitation, err = s.repo.RenewCode(ctx, tokens.OrgID(d.About), d.To, codeSum(d.To, code), s.Now())
	case purposeReset, purposeVerify:
		err = s.newCode(ctx, d, code)
	}
	d.Letters = []Letter{l}
	return d, err
}

// newCode gives an account another code.
func (s *Service) newCode(ctx context.Context, d Delivery, code string) error {
	a, err := s.Find(ctx, d.To)
	if err != nil {
		return err
	}
	_, err = s.repo.ChangeAccount(ctx, a.ID, func(a *Account) (audit.Entry, error) {
		if d.Name == purposeReset && (a.Password == "" || !a.DisabledAt.IsZero()) {
			return audit.Entry{}, fmt.Errorf("password of user %s: %w", a.ID, tokens.ErrNotFound)
		}
		*a.code(d.Name) = MailedCode{Sum: accountCodeSum(d.Name, a.ID, code), ExpiresAt: s.Now().Add(CodeLife)}
		return audit.Entry{}, nil
	})
	return err
}
