package people

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/quayside/quayside/gateway/servicekit/api/publicid"
	"github.com/quayside/quayside/gateway/servicekit/limit/address"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/password"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// InvitationLife is how long an invitation is good.
const InvitationLife = 7 * 24 * time.Hour

// invitationsPerOrganization bounds the invitations that an organization mails within AttemptWindow.
const invitationsPerOrganization = 50

// A code is 20 characters of RFC 4648 base32: 100 bits, not to be guessed, and
// letters that are not mistaken for digits. People see groups of four.
const (
	codeLen   = 20
	codeGroup = 4
)

// Invite invites an e-mail address and returns the code, which nothing can return again, or stores a mail with it and
// returns "". An invitation that there was for it is replaced. It gives tokens.ErrForbidden, tokens.ErrExists for a
// member, a tokens.ValidationError, and a *ThrottledError where too many are mailed.
func (s *Service) Invite(
	ctx context.Context, principal tokens.Principal, org tokens.OrgID, email, role string,
) (Invitation, string, error) {
	var wrong faults
	now := s.Now()
	i := Invitation{
		ID: InvitationID(publicid.New("inv")), Organization: org, Email: wrong.email(email), Role: wrong.role(role),
		InvitedBy: principal.Actor.Name, Inviter: UserID(principal.Actor.ID),
		CreatedAt: now, ExpiresAt: now.Add(InvitationLife), Mailed: s.Mails(),
	}
	if err := wrong.OrNil(); err != nil {
		return Invitation{}, "", err
	}
	code := rand.Text()[:codeLen]
	entry := s.entry(audit.MemberInvited, principal.Actor, string(i.ID), i.Details())
	if i.Mailed {
		_, err := s.attempt(ctx, newCount(mailsPerAddress, "mail", MailInvitation, string(org), i.Email),
			newCount(invitationsPerOrganization, "mail", MailInvitation, string(org)))
		if err != nil {
			return Invitation{}, "", err
		}
		entry.Mails = []audit.Mail{{To: i.Email, Name: MailInvitation}}
	}
	err := s.repo.Invite(ctx, i, codeSum(i.Email, code), entry, func(role, replaced tokens.Role) error {
		now := principal.As(role)
		switch {
		case !now.MayAssign("", replaced):
			return tokens.ErrForbidden
		case !now.MayAssign("", i.Role):
			wrong.Add("role", tokens.InvalidValue, "must not be owner: only owners invite owners")
		}
		return wrong.OrNil()
	})
	if err != nil {
		return Invitation{}, "", err
	}
	if i.Mailed {
		return i, "", nil // the mail gets a code of its own
	}
	return i, spell(code), nil
}

// Invitations returns an organization's open invitations, the newest first.
func (s *Service) Invitations(ctx context.Context, org tokens.OrgID) ([]Invitation, error) {
	return s.repo.Invitations(ctx, org, s.Now())
}

// Withdraw ends an invitation. It gives tokens.ErrForbidden and tokens.ErrNotFound.
func (s *Service) Withdraw(ctx context.Context, principal tokens.Principal, org tokens.OrgID, id InvitationID) error {
	entry := s.entry(audit.InvitationWithdrawn, principal.Actor, string(id), nil)
	return s.repo.Withdraw(ctx, org, id, entry, func(role tokens.Role, i Invitation) error {
		if !principal.As(role).MayAssign("", i.Role) {
			return tokens.ErrForbidden
		}
		return nil
	})
}

// Acceptance is an invited person's input.
type Acceptance struct {
	Email, Code string
	// Name and Password are those of the account to be made. When there is one
	// with that e-mail address, Password must be its own and Name is not read.
	Name, Password string
}

// Accept makes the invited person a member and returns the user and the organization. It gives ErrCode, ErrRefused
// when the account that there is has another password, ErrDisabled, ErrAccountUnverified, a *ThrottledError and a
// tokens.ValidationError.
func (s *Service) Accept(ctx context.Context, a Acceptance, client ClientInfo) (User, tokens.OrgID, error) {
	email := normalize(a.Email)
	offer, err := s.repo.InvitationWith(ctx, email, codeSum(email, unspell(a.Code)), s.Now())
	if errors.Is(err, tokens.ErrNotFound) {
		// A code has 100 random bits. A counter of the e-mail address, or one that
		// also counts the right code, would keep the invited person out.
		if _, err := s.attempt(ctx, ofAddress("invitation", client)); err != nil {
			return User{}, "", err
		}
		return User{}, "", ErrCode
	}
	if err != nil {
		return User{}, "", err
	}
	admission := Admission{
		Organization: offer.Organization, Role: offer.Role, Invitation: offer.ID, Verified: offer.Mailed,
	}
	known, err := s.account(ctx, email)
	switch {
	case err != nil:
		return User{}, "", err
	case known.ID == "":
		admission.New = true
		admission.User, admission.Password, err = s.newUser(ctx, email, a, client)
		if offer.Mailed {
			admission.User.VerifiedAt = admission.User.CreatedAt
		}
	default:
		// The code must not give further guesses at the password.
		admission.User = known.User
		_, err = s.SignIn(ctx, email, a.Password, client)
	}
	if err != nil {
		return User{}, "", err
	}
	admission.Entry = s.joined(client.Actor(admission.User), email, offer.Role)
	u, _, err := s.repo.Admit(ctx, admission)
	switch {
	case errors.Is(err, tokens.ErrNotFound):
		return User{}, "", ErrCode
	case errors.Is(err, tokens.ErrExists), errors.Is(err, ErrEnded):
		return User{}, "", ErrRefused // the account was made or changed a moment ago
	case err != nil:
		return User{}, "", err
	}
	return u, offer.Organization, nil
}

// Offers returns the open invitations of a person, the oldest first: none unless the e-mail address is verified.
func (s *Service) Offers(ctx context.Context, u User) ([]Invitation, error) {
	if u.VerifiedAt.IsZero() {
		return nil, nil
	}
	return s.repo.Offers(ctx, u.Email, s.Now())
}

// Join makes a signed-in person a member by one of their Offers and returns the organization. It gives
// tokens.ErrNotFound when there is no such offer, or no longer, and ErrEnded.
func (s *Service) Join(ctx context.Context, u User, id InvitationID, client ClientInfo) (tokens.OrgID, error) {
	o, err := s.offer(ctx, u, id)
	if err != nil {
		return "", err
	}
	_, _, err = s.repo.Admit(ctx, Admission{
		Organization: o.Organization, User: u, Role: o.Role, Invitation: id,
		Entry: s.joined(client.Actor(u), u.Email, o.Role),
	})
	return o.Organization, err
}

// Decline ends one of a signed-in person's Offers and returns it. It gives tokens.ErrNotFound as Join does.
func (s *Service) Decline(ctx context.Context, u User, id InvitationID, client ClientInfo) (Invitation, error) {
	o, err := s.offer(ctx, u, id)
	if err != nil {
		return Invitation{}, err
	}
	entry := s.entry(audit.InvitationDeclined, client.Actor(u), string(id), nil)
	return o, s.repo.Withdraw(ctx, o.Organization, id, entry, func(tokens.Role, Invitation) error { return nil })
}

// offer returns one of a person's Offers, or tokens.ErrNotFound.
func (s *Service) offer(ctx context.Context, u User, id InvitationID) (Invitation, error) {
	offers, err := s.Offers(ctx, u)
	if err != nil {
		return Invitation{}, err
	}
	at := slices.IndexFunc(offers, func(i Invitation) bool { return i.ID == id })
	if at < 0 {
		return Invitation{}, fmt.Errorf("invitation %s: %w", id, tokens.ErrNotFound)
	}
	return offers[at], nil
}

// newUser returns the account of an invited person.
func (s *Service) newUser(
	ctx context.Context, email string, a Acceptance, client ClientInfo,
) (User, string, error) {
	var wrong faults
	now := s.Now()
	u := User{ID: UserID(publicid.New("usr")), Email: email, Name: wrong.name(a.Name, 1), CreatedAt: now}
	wrong.password(a.Password, email)
	if err := wrong.OrNil(); err != nil {
		return User{}, "", err
	}
	hash, err := s.config.Passwords.Hash(ctx, password.From{Network: address.Site(client.Address)}, a.Password)
	return u, hash, err
}

func codeSum(email, code string) [32]byte {
	return sha256.Sum256([]byte("invitation\x00" + email + "\x00" + code))
}

// spell writes a code as people read it.
func spell(code string) string {
	var groups []string
	for group := range slices.Chunk([]byte(code), codeGroup) {
		groups = append(groups, string(group))
	}
	return strings.Join(groups, "-")
}

// unspell reads a code as people write and paste it: with hyphens and spaces of all kinds.
func unspell(text string) string {
	return strings.ToUpper(strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text))
}

// Details are those of the invitation's audit events.
func (i Invitation) Details() map[string]string {
	return map[string]string{"email": i.Email, "role": string(i.Role)}
}
