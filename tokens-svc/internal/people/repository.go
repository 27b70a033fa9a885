package people

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Reader is the look-ups that a Service passes on.
type Reader interface {
	// User returns a person.
	User(ctx context.Context, id UserID) (User, error)
	// Memberships returns the organizations of a person, by name.
	Memberships(ctx context.Context, id UserID) ([]Membership, error)
	// Members returns the people of an organization, by e-mail address.
	Members(ctx context.Context, org tokens.OrgID) ([]Member, error)
	// SignIns returns the newest n events of a person's own audit log, newest first: attempts to sign in.
	SignIns(ctx context.Context, id UserID, n int) ([]audit.Event, error)
}

// Repository keeps people. Its methods are safe for concurrent use; each that changes something does so in one
// transaction, together with its audit event, which has committed when the method returns nil.
//
// Errors wrap tokens.ErrUnavailable when the storage cannot be reached or cannot serve now, and otherwise those that a
// method names. An object that does not exist, in that organization, gives tokens.ErrNotFound.
type Repository interface {
	Reader
	// Account returns the account with an id or an e-mail address.
	Account(ctx context.Context, idOrEmail string) (Account, error)
	// UserWith returns the person with an identity.
	UserWith(ctx context.Context, identity Identity) (User, error)
	// Record appends an entry to a person's own audit log.
	Record(ctx context.Context, id UserID, e audit.Entry) error
	// ChangeAccount stores the account as decide changed it: its name, its password, whether that is temporary, since when
	// it is verified and disabled, its codes, its factors, the session epoch, an increase of which removes its sessions,
	// and that it is linked no longer. The account does not change between decide and the end of the transaction. The
	// entry, unless it is zero, is recorded in each organization of the account. When decide changes nothing, only the
	// mails of the entry are stored, at its time; nothing happens when it returns an error.
	ChangeAccount(ctx context.Context, id UserID, decide func(*Account) (audit.Entry, error)) (User, error)

	// Admit makes somebody a member, and reports whether the account was made. See Admission.
	Admit(ctx context.Context, a Admission) (u User, made bool, err error)
	// Link gives an identity, whose issuer has verified the address, to the account with the address of u, which
	// is made unless there is one. One that there is is taken over, unless it is the holder's: it is verified at the
	// entry's time, its password and factors are removed and its sessions end. The entry, whose target is filled in,
	// goes to the audit logs of all its organizations. It gives tokens.ErrExists when the account has another
	// identity of that issuer, or another account has this one. The person becomes a member of the organization
	// that join has, if any, unless they were removed from it before.
	Link(ctx context.Context, u User, identity Identity, e audit.Entry, join Admission, holders bool) (
		linked User, takenOver bool, err error)
	// ChangeMember gives a member the role that decide returns, or takes the membership away when that is "". decide gets
	// the actor's role, "" for none, the member and the number of other owners whose accounts are not disabled, none of
	// which changes before the transaction ends. When it returns an error, or the role that they have, nothing is changed.
	ChangeMember(ctx context.Context, org tokens.OrgID, id UserID, by audit.Actor,
		decide func(role tokens.Role, now Member, others int) (tokens.Role, audit.Entry, error)) error

	// Invite stores an invitation and the SHA-256 of its code. It replaces one that there is for that address. Nothing
	// happens when decide returns an error, given the inviter's role and that of the invitation to be replaced, "" for
	// none. It gives tokens.ErrExists when the address is a member's.
	Invite(ctx context.Context, i Invitation, codeSum [32]byte, e audit.Entry,
		decide func(role, replaced tokens.Role) error) error
	// Invitations returns those of an organization that are good at a time, the
	// newest first: neither expired nor of an inviter who may not grant the role.
	Invitations(ctx context.Context, org tokens.OrgID, at time.Time) ([]Invitation, error)
	// Withdraw ends an invitation that is good at the time, by the inviting or the invited side, unless decide
	// returns an error, given the actor's role. The entry is recorded with the invitation's details.
	Withdraw(ctx context.Context, org tokens.OrgID, id InvitationID, e audit.Entry,
		decide func(role tokens.Role, i Invitation) error) error
	// InvitationWith returns the invitation of an address by its code, if it is good at a time.
	InvitationWith(ctx context.Context, email string, codeSum [32]byte, at time.Time) (Invitation, error)
	// Offers returns all invitations of an address that are good at a time.
	Offers(ctx context.Context, email string, at time.Time) ([]Invitation, error)

	// StoreMail adds a mail to the outbox, which also holds the mails of each audit.Entry that is recorded.
	StoreMail(ctx context.Context, at time.Time, m audit.Mail) error
	// ClaimMail returns the mail that failed least and has been due longest, which is due again at another time unless it
	// is settled; or tokens.ErrNotFound.
	ClaimMail(ctx context.Context, now, until time.Time) (Delivery, error)
	// SettleMail removes the letters and events of a delivery from its mail. What is left, and the next of its kind, is
	// due at a time.
	SettleMail(ctx context.Context, d Delivery, due time.Time) error
	// RenewCode gives an invitation whose code is mailed another code, and returns it if it is good at a time.
	RenewCode(ctx context.Context, org tokens.OrgID, email string, codeSum [32]byte, at time.Time) (Invitation, error)
	// NotifyExpiring stores the mails about tokens that end within a time, longer than that after they were made. mails
	// gets each of them once for each end, with the addresses of its holders.
	NotifyExpiring(ctx context.Context, now, until time.Time, mails func(tokens.Token, []string) []audit.Mail) error

	// Attempt counts one more attempt under a key and returns how many that
	// makes since when. A count that is older than window begins anew.
	Attempt(ctx context.Context, key [32]byte, at time.Time, window time.Duration) (n int, since time.Time, err error)
	// ReturnAttempt takes one attempt off the count under a key.
	ReturnAttempt(ctx context.Context, key [32]byte) error
}

// Admission makes a person a member of an organization. A missing account is created. An existing
// member keeps the role.
type Admission struct {
	Organization tokens.OrgID
	// User's id, password, whether that is temporary and whether it is verified count when the account is made. The
	// session epoch of one who accepts an invitation must still be the account's: otherwise the error is ErrEnded.
	User     User
	Role     tokens.Role
	Password string // as stored
	// New gives tokens.ErrExists when there is an account with the address.
	New bool
	// Verified means that the person has proved to have the address, so that the account that there is
	// becomes verified. Otherwise one that is not gives ErrAccountUnverified, unless it is a member already.
	Verified bool
	// Invitation is what this comes of. It ends. When it is good no longer,
	// nothing happens and the error is tokens.ErrNotFound. Empty: none.
	Invitation InvitationID
	// Entry is for the audit log, if they become a member; its target is filled in with the id of the person. Its time is
	// when they joined, and when the account was verified.
	Entry audit.Entry
}
