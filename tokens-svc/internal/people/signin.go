package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	pass "github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// SignIn returns whose e-mail address and password these are. If they have an authenticator app,
// SignInWithCode must follow. It gives ErrRefused, ErrDisabled and a *ThrottledError.
func (s *Service) SignIn(ctx context.Context, email, password string, client ClientInfo) (User, error) {
	email = normalize(email)
	a, err := s.account(ctx, email)
	if err != nil {
		return User{}, err
	}
	succeeded, err := s.attempt(ctx, toSignIn(a, email, client)...)
	if err == nil {
		err = s.verify(ctx, a, password, client)
	}
	notice := s.signedIn(a, client)
	if err != nil || !a.HasApp {
		err = s.recordSignIn(ctx, a.User, methodPassword, client, err, notice...)
	} else if len(notice) > 0 {
		err = s.repo.StoreMail(ctx, s.Now(), notice[0])
	}
	if err != nil {
		return User{}, err
	}
	return a.User, succeeded(ctx)
}

// account returns the account with an e-mail address, or a zero one.
func (s *Service) account(ctx context.Context, email string) (Account, error) {
	a, err := s.repo.Account(ctx, email)
	if errors.Is(err, tokens.ErrNotFound) {
		return Account{}, nil
	}
	return a, err
}

// verify gives ErrRefused unless it is the account's password, and ErrDisabled
// if it is but the account is disabled. A zero account costs the same.
func (s *Service) verify(ctx context.Context, a Account, password string, client ClientInfo) error {
	if len(password) > maxPassword {
		return ErrRefused
	}
	_, known := a.knows(client.Device)
	from := pass.From{Network: address.Site(client.Address), Known: known}
	switch right, err := s.config.Passwords.Verify(ctx, from, a.Password, password); {
	case err != nil:
		return err
	case !right:
		return ErrRefused
	case !a.DisabledAt.IsZero():
		return ErrDisabled
	}
	return nil
}

// SignInWith returns the user of an identity at the issuer. It makes an account for a verified e-mail address that is
// invited, without a membership: each invitation is accepted with Join. One in one of the domains becomes a member
// there. linked reports that this sign-in linked the identity to an account that existed before, whose password and
// sessions have ended. proved is the person who has just proved to be the holder of an account in another way, "" for
// none: linked to that account, all of it stays. It gives ErrUnverified, ErrUnmanaged, ErrNotInvited,
// ErrLinkedElsewhere and ErrDisabled.
func (s *Service) SignInWith(
	ctx context.Context, c Claims, proved UserID, client ClientInfo,
) (u User, linked bool, err error) {
	var a Account
	var notice []audit.Mail
	u, err = s.repo.UserWith(ctx, c.Identity)
	switch {
	case errors.Is(err, tokens.ErrNotFound):
		u, linked, err = s.link(ctx, c, proved, client)
	case err == nil && !u.DisabledAt.IsZero():
		err = ErrDisabled
	case err == nil:
		a, err = s.Find(ctx, string(u.ID))
		notice = s.signedIn(a, client)
	}
	if err := s.recordSignIn(ctx, u, methodIssuer, client, err, notice...); err != nil {
		return User{}, false, err
	}
	return u, linked, nil
}

// link gives an identity to the account with its e-mail address, or to a new one. The password and the sessions of an
// account that exists end, unless its holder has proved to be that, because another person may have chosen that
// password; its memberships stay, because an invitation to that address made them. With ErrLinkedElsewhere and
// ErrDisabled it returns the account, too.
func (s *Service) link(
	ctx context.Context, c Claims, proved UserID, client ClientInfo,
) (u User, linked bool, err error) {
	email, proper := canonical(c.Email)
	if !c.EmailVerified || !proper {
		return User{}, false, ErrUnverified
	}
	name := email[strings.LastIndex(email, "@")+1:]
	managed, domain := s.authoritative(c, name), s.config.Domains[name]
	if !managed {
		domain = Domain{}
	}
	a, err := s.account(ctx, email)
	switch u = a.User; {
	case err != nil:
		return User{}, false, err
	case !managed && (proved == "" || proved != u.ID):
		return User{}, false, ErrUnmanaged
	case !u.DisabledAt.IsZero():
		return u, false, ErrDisabled
	case u.ID == "":
		offers, err := s.repo.Offers(ctx, email, s.Now())
		if err != nil || len(offers) == 0 && domain.Organization == "" {
			return User{}, false, cmp.Or(err, ErrNotInvited)
		}
		now := s.Now()
		u = User{
			ID: UserID(publicid.New("usr")), Email: email, Name: claimedName(c.Name), CreatedAt: now, VerifiedAt: now,
		}
	}
	entry := s.about(audit.UserIdentityLinked, client.Actor(u), u)
	entry.Details["issuer"] = c.Issuer
	entry.Mails = s.changed(u, client, "The sign-in at "+c.Issuer+" was connected to your account.")
	now, linked, err := s.repo.Link(ctx, u, c.Identity, entry, Admission{
		Organization: domain.Organization, Role: domain.Role, Entry: s.joined(client.Actor(u), email, domain.Role),
	}, proved == u.ID)
	if errors.Is(err, tokens.ErrExists) {
		return a.User, false, ErrLinkedElsewhere
	}
	return now, linked, err
}

// recordTimeout bounds how long a refused attempt to sign in is being recorded.
const recordTimeout = 5 * time.Second

// How a person proves who they are, as audit events name it.
const (
	methodPassword = "password"
	methodCode     = "code"
	methodRecovery = "recovery code"
	methodPasskey  = "passkey"
	methodIssuer   = "issuer"
	methodChange   = "change of password" // the current password, of a person who is signed in
)

// recordSignIn records the outcome of an attempt to sign in, in the audit log of the account. An attempt on an unknown
// account is logged instead, and one too many is not recorded: those before it are. Neither has the input. A success is
// recorded before it takes effect. A refusal is recorded after the response: otherwise response times would tell which
// accounts exist. It returns the outcome. The mails are stored with a success.
func (s *Service) recordSignIn(
	ctx context.Context, u User, method string, client ClientInfo, outcome error, mails ...audit.Mail,
) error {
	if u.ID == "" {
		if errors.Is(outcome, ErrRefused) {
			s.recording.Go(func() {
				s.config.Log.WarnContext(ctx, "sign-in refused: unknown account",
					"address", client.Address, "request_id", client.RequestID)
			})
		}
		return outcome
	}
	e := s.about(audit.UserSignedIn, client.Actor(u), u)
	e.Details["method"] = method
	if outcome == nil {
		e.Mails = mails
		return s.repo.Record(ctx, u.ID, e)
	}
	e.Action = audit.UserSignInFailed
	for err, reason := range map[error]string{
		ErrRefused: "wrong password", ErrFactor: "wrong " + method, ErrDisabled: "account disabled",
		ErrLinkedElsewhere: "linked to another identity",
	} {
		if errors.Is(outcome, err) {
			e.Details["reason"] = reason
		}
	}
	if e.Details["reason"] == "" {
		return outcome
	}
	s.recording.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
		defer cancel()
		if err := s.repo.Record(ctx, u.ID, e); err != nil {
			s.config.Log.ErrorContext(ctx, "an event is missing in the audit log",
				"error", fmt.Errorf("record a refused sign-in of user %s: %w", u.ID, err))
		}
	})
	return outcome
}

// Wait returns when all refused attempts are recorded, which takes each at most recordTimeout. None may begin
// meanwhile.
func (s *Service) Wait() { s.recording.Wait() }
