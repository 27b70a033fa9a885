// Package people is the authority on the people of organizations: the
// people, how they sign in, their roles and their invitations.
//
// Guarantees:
//
//   - Sign-in does not disclose which accounts exist: an unknown
//     e-mail address and a wrong password get the same response at the same cost. Attempts
//     are counted before they are verified, so that none bypasses the
//     count, per account and per address.
//   - An account joins a further organization only if its e-mail address is
//     verified: by the OpenID Connect issuer that the person signs in at, by an
//     operator, or by a code that was mailed there. An invitation whose code was not
//     mailed proves only that its holder got the code. Verification by an issuer, and a
//     reset, end the account's earlier password and sessions, in the same transaction.
//   - Authenticator apps and passkeys belong to accounts with a password. An account with an app is
//     signed in to with the password and a code, or a passkey; a code is accepted once. Whoever
//     proves to own an address for the first time finds none of another person's.
//   - A session ends when its account's password changes, and when the account is
//     linked, unlinked or disabled. One that was being made at that moment ends, too.
//   - An invitation's code is mailed, or shown once to the inviting person. It is valid once, for
//     that address, and never sets the password of an account that exists. It is
//     good only while the inviter may grant its role.
//   - A person joins an organization only by their own decision, by an operator's,
//     or as the domain of their e-mail address says.
//   - Sign-ins are events of the account's own audit log.
//   - Every organization keeps an owner whose account is not disabled, whatever is done at the same time.
//   - Who manages members acts under the role that the transaction of the change finds.
//   - Each change of a membership is one transaction with its audit event.
//
// Storage is a Repository, which internal/postgres implements.
package people

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/people/passkey"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// UserID identifies a person: "usr_" and 26 characters.
type UserID string

// InvitationID identifies an invitation: "inv_" and 26 characters.
type InvitationID string

// User is a person's account. Times are UTC, in whole milliseconds.
type User struct {
	ID        UserID
	Email     string // in lower case; unique
	Name      string // as they call themselves; perhaps empty
	CreatedAt time.Time
	// VerifiedAt is when it was proved that the address is the person's; zero: it was not.
	VerifiedAt time.Time
	// DisabledAt is since when the account cannot be used; zero: it can.
	DisabledAt time.Time
	// PasswordTemporary means that an operator set the password: the person must change it before doing anything else.
	PasswordTemporary bool
	// HasApp means that the account has an authenticator app, so that a password alone does not sign in.
	HasApp bool
	// SessionEpoch increases whenever all of the account's sessions end. A
	// session is valid in the epoch in which it began.
	SessionEpoch int64
}

// Account is a user with the data that only the sign-in needs.
type Account struct {
	User
	Password  string // as stored; empty: none
	DeviceKey string // marks browsers of an account without a password
	// The codes that were mailed last.
	Reset, Verify MailedCode
	// TOTPKey is the sealed key of the authenticator app, in base64; empty: none. TOTPStep is the newest
	// time step of which a code was accepted.
	TOTPKey  string
	TOTPStep int64
	// RecoveryCodes are the SHA-256 of the unused ones, with spaces between them.
	RecoveryCodes string
	Passkeys      passkey.List
	Linked        bool // to an identity at an issuer
}

// MailedCode is a code of an account, until it is used.
type MailedCode struct {
	Sum       string // its SHA-256; empty: none
	ExpiresAt time.Time
}

// holder returns the account as the user of a ceremony.
func (a Account) holder() passkey.Holder {
	return passkey.Holder{ID: string(a.ID), Name: a.Email, Passkeys: a.Passkeys}
}

// as returns ErrEnded unless the sessions of u, an account as a request began with it, go on.
func (a *Account) as(u User) error {
	if a.SessionEpoch != u.SessionEpoch {
		return ErrEnded
	}
	return nil
}

// endSessions ends all sessions of the account.
func (a *Account) endSessions() { a.SessionEpoch++ }

// Display is the user's name on pages.
func (u User) Display() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Email
}

// Membership is an organization that a person belongs to.
type Membership struct {
	Organization tokens.Organization
	Role         tokens.Role
	JoinedAt     time.Time
}

// Standing is a person with their memberships, and the one in the organization at hand; zero: they are no member.
type Standing struct {
	User
	Memberships []Membership
	Membership  Membership
}

// Member is a person who belongs to an organization.
type Member struct {
	User
	Membership
}

// Invitation is an open one. Joining, declining and withdrawing end it, and so does a new one for the same address.
type Invitation struct {
	ID               InvitationID
	Organization     tokens.OrgID
	OrganizationName string
	Email            string
	Role             tokens.Role
	InvitedBy        string // the inviting person's e-mail address
	// Inviter is the inviting person, whose role must still allow granting Role;
	// empty: an operator invited, and nothing bounds the invitation.
	Inviter     UserID
	InviterRole tokens.Role // now; "" for a person who is no member or whose account is disabled
	CreatedAt   time.Time
	ExpiresAt   time.Time
	Mailed      bool // the code was mailed, so that who has it has the address
	Unsent      bool // the mail could not be sent so far; it is tried again
}

// Valid reports whether the inviter may grant the invitation's role now.
func (i Invitation) Valid() bool { return i.Inviter == "" || i.InviterRole.MayInvite(i.Role) }

// ClientInfo identifies the client of a request, for the throttle and the audit log.
type ClientInfo struct {
	Address   netip.Addr // zero: not known
	RequestID string
	Device    string `json:"-"` // what NewDevice made for this browser; perhaps empty
}

// Actor returns u as the actor of what the client does.
func (f ClientInfo) Actor(u User) audit.Actor {
	from := audit.Address{Addr: f.Address}
	return audit.Actor{Kind: audit.User, ID: string(u.ID), Name: u.Email, Address: from, RequestID: f.RequestID}
}

// Identity is a person's identity at an OpenID Connect issuer.
type Identity struct {
	Issuer  string
	Subject string
}

// Claims are the claims of an ID token.
type Claims struct {
	Identity
	Email         string
	EmailVerified bool
	Name          string
	AuthTime      time.Time      // when the person signed in at the issuer; zero: it does not say
	All           map[string]any // by name, as the issuer sent them
}

// Domain makes the issuer's users whose verified address is in it members at their first sign-in.
type Domain struct {
	Organization tokens.OrgID
	Role         tokens.Role
	// Claim, unless empty, must have that value: see authoritative.
	Claim, Value string
}

// admits reports whether the claims show that the organization manages the account.
func (d Domain) admits(c Claims) bool {
	return d.Claim == "" || strings.EqualFold(c.text(d.Claim), d.Value)
}

// text returns a claim that is a text, and otherwise "".
func (c Claims) text(name string) string {
	value, _ := c.All[name].(string)
	return value
}

// Google is an issuer that also verifies addresses in domains that others manage.
const Google = "https://accounts.google.com"

// authoritative reports whether the issuer manages accounts with addresses in the domain: a verified address alone may
// belong to a private account. Of addresses at Google the claim hd says so, and those of its own domains.
func (s *Service) authoritative(c Claims, domain string) bool {
	if d, ok := s.config.Domains[domain]; ok {
		return d.admits(c)
	}
	return c.Issuer != Google || c.text("hd") != "" || domain == "gmail.com" || domain == "googlemail.com"
}

// Errors, besides tokens.ErrNotFound, tokens.ErrForbidden, tokens.ErrUnavailable,
// tokens.ErrExists and a tokens.ValidationError. Test with errors.Is.
var (
	// ErrRefused means that e-mail address and password do not fit, or that the account has no password; never which.
	ErrRefused = errors.New("the e-mail address or the password is wrong")
	// ErrCode means that there is no such invitation for that address, or no longer.
	ErrCode = errors.New("the invitation is not good, or no longer")
	// ErrFactor means that a code of an authenticator app, a recovery code or a passkey is not valid.
	ErrFactor = errors.New("the code or the passkey is not valid")
	// ErrUnverified means that the issuer has not verified the e-mail address.
	ErrUnverified = errors.New("the issuer has not verified the e-mail address")
	// ErrUnmanaged means that the issuer verified the e-mail address and does not manage its accounts, so that
	// only who has proved to be the holder of the account with that address may link it.
	ErrUnmanaged = errors.New("the issuer does not manage accounts with this e-mail address")
	// ErrAccountUnverified means that an account with that e-mail address exists and cannot join a further organization,
	// because nothing proves that its holder owns the address.
	ErrAccountUnverified = errors.New("an account with this e-mail address exists, but the address is not verified")
	// ErrDisabled means that an operator disabled the account. It is given only to who has proved to be its holder.
	ErrDisabled = errors.New("the account is disabled")
	// ErrEnded means that the session in which a person acts has ended meanwhile.
	ErrEnded = errors.New("the session has ended")
	// ErrLinkedElsewhere means that the account with the e-mail address is linked to another identity at the issuer, as
	// when the address was given to another person there.
	ErrLinkedElsewhere = errors.New("the account with this e-mail address is linked to another identity at the issuer")
	// ErrNotInvited means that a person of the issuer's has no account and no invitation.
	ErrNotInvited = errors.New("this e-mail address has no invitation")
	// ErrLastOwner means that an organization would be left without an owner who can sign in.
	ErrLastOwner = errors.New("an organization needs an owner who can sign in")
)

// ThrottledError reports too many attempts. Nothing was looked at.
type ThrottledError struct {
	RetryAfter time.Duration // more than zero, whole seconds
}

// Error implements error.
func (e *ThrottledError) Error() string {
	return fmt.Sprintf("too many attempts; try again in %s", e.RetryAfter)
}
