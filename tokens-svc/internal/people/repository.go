package people

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// Repository keeps people. Its methods are safe for concurrent use; each that
// changes something does so in one transaction, together with its audit event,
// which has committed when the method returns nil.
//
// Errors wrap tokens.ErrUnavailable when the storage cannot be reached or cannot
// serve now, and otherwise those that a method names. What is not there, in
// that organization, gives tokens.ErrNotFound.
type Repository interface {
	// User returns a person.
	User(ctx context.Context, id UserID) (User, error)
	// Credentials returns the person with an e-mail address and their stored
	// password, which may be empty.
	Credentials(ctx context.Context, email string) (u User, password string, err error)
	// SetPassword replaces the stored password, provided that it still is the
	// old one. Otherwise it changes nothing.
	SetPassword(ctx context.Context, id UserID, old, password string) error
	// UserWith returns the person with an identity.
	UserWith(ctx context.Context, identity Identity) (User, error)
	// Link gives a person an identity, forgets their password and ends their
	// sessions. It gives tokens.ErrExists when they have one of that issuer, or
	// somebody else has this one.
	Link(ctx context.Context, id UserID, identity Identity, at time.Time) error

	// Admit makes somebody a member. See Admission.
	Admit(ctx context.Context, a Admission) (User, error)
	// Memberships returns the organizations of a person, by name.
	Memberships(ctx context.Context, id UserID) ([]Membership, error)
	// Membership returns what a person is in an organization.
	Membership(ctx context.Context, org tokens.OrgID, id UserID) (Membership, error)
	// Members returns the people of an organization, by e-mail address.
	Members(ctx context.Context, org tokens.OrgID) ([]Member, error)
	// ChangeMember gives a member the role that decide returns, or takes the
	// membership away when that is "". decide is told what they are and how many
	// owners there are, neither of which changes before the transaction ends.
	// When it returns an error, or the role that they have, nothing is changed.
	ChangeMember(ctx context.Context, org tokens.OrgID, id UserID,
		decide func(now Member, owners int) (tokens.Role, audit.Entry, error)) error

	// Invite stores an invitation and the SHA-256 of its code. It replaces one
	// that there is for that address. It gives tokens.ErrExists when the address
	// is a member's.
	Invite(ctx context.Context, org tokens.OrgID, i Invitation, codeSum [32]byte, e audit.Entry) error
	// Invitations returns those of an organization that have not expired at a
	// time, the newest first.
	Invitations(ctx context.Context, org tokens.OrgID, at time.Time) ([]Invitation, error)
	// Withdraw ends an invitation.
	Withdraw(ctx context.Context, org tokens.OrgID, id InvitationID, e audit.Entry) error
	// InvitationWith returns the invitation of an address by its code.
	InvitationWith(ctx context.Context, email string, codeSum [32]byte, at time.Time) (Offer, error)
	// Offers returns all invitations of an address.
	Offers(ctx context.Context, email string, at time.Time) ([]Offer, error)

	// Attempt counts one more attempt under a key and returns how many that
	// makes since when. A count that is older than window begins anew.
	Attempt(ctx context.Context, key [32]byte, at time.Time, window time.Duration) (n int, since time.Time, err error)
	// Forgive forgets the attempts under the first key, and one of those under
	// the second.
	Forgive(ctx context.Context, all, one [32]byte) error
}

// Offer is an invitation as seen by the invited.
type Offer struct {
	Organization tokens.OrgID
	Invitation
}

// Admission says who becomes a member of what. Somebody with that e-mail
// address who exists already stays as they are; otherwise they are made, with
// password and identity. Somebody who is a member already keeps the role.
type Admission struct {
	Organization tokens.OrgID
	User         User // its id is taken when they are new
	Role         tokens.Role
	Password     string    // as stored; empty: none
	Identity     *Identity // nil: none
	// Invitation is what this comes of. It ends. When it is there no longer,
	// nothing happens and the error is tokens.ErrNotFound. Empty: none.
	Invitation InvitationID
	// Entry is for the audit log, if they become a member; its target is filled
	// in with the id of the person. Its time is when they joined.
	Entry audit.Entry
}
