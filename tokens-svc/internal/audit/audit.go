// Package audit is the record of who changed what in an organization.
//
// Guarantees: an organization's events form a chain, numbered from 1 without a
// gap, in which each carries the hash of the one before and of all its own
// content; so a row that was changed, removed or inserted behind the program's
// back is found, by Verify, and so is a missing end, because the chain's Head
// is kept apart. Whoever can rewrite every row and the head can still forge a
// whole chain: a head that was written down elsewhere tells that, too.
//
// No secret is in an event. The package imports the standard library only.
package audit

import (
	"net/netip"
	"time"
)

// Kind says what an actor is.
type Kind string

// The kinds of actors.
const (
	User     Kind = "user"     // a person, signed in
	Token    Kind = "token"    // an API token, through the management API
	Operator Kind = "operator" // somebody at the command line
)

// Actor is who did something, as known at that time.
type Actor struct {
	Kind      Kind
	ID        string     // usr_… or tok_…; an operator has none
	Name      string     // a person's e-mail, a token's name
	Address   netip.Addr // where the request came from; zero: not known
	RequestID string     // req_…; "" at the command line
}

// CommandLine is the actor of everything that operators do. The program's main
// sets its name once, before anything else runs.
var CommandLine = Actor{Kind: Operator, Name: "command line"}

// Action says what was done.
type Action string

// The actions.
const (
	OrganizationCreated Action = "organization.created"
	TokenCreated        Action = "token.created"
	TokenUpdated        Action = "token.updated"
	TokenRotated        Action = "token.rotated"
	TokenRevoked        Action = "token.revoked"
	TokenHandedOver     Action = "token.handed_over" //nolint:gosec // G101: an action, no credential
	MemberInvited       Action = "member.invited"
	InvitationWithdrawn Action = "invitation.withdrawn"
	MemberJoined        Action = "member.joined"
	MemberRoleChanged   Action = "member.role_changed"
	MemberRemoved       Action = "member.removed"

	UserSignedIn         Action = "user.signed_in"
	UserSignInFailed     Action = "user.sign_in_failed"
	UserSignedOut        Action = "user.signed_out"
	UserVerified         Action = "user.verified"
	UserPasswordChanged  Action = "user.password_changed"
	UserPasswordSet      Action = "user.password_set"
	UserDisabled         Action = "user.disabled"
	UserEnabled          Action = "user.enabled"
	UserSessionsEnded    Action = "user.sessions_ended"
	UserIdentityLinked   Action = "user.identity_linked"
	UserIdentityUnlinked Action = "user.identity_unlinked"
)

// Entry is something that was done, before it has its place in a chain.
type Entry struct {
	At      time.Time // UTC, whole milliseconds
	Actor   Actor
	Action  Action
	Target  string            // the id of what it was done to
	Details map[string]string // what else there is to know; never a secret
}

// Event is an entry in its place.
type Event struct {
	Organization string // org_…
	Sequence     int64  // from 1
	Entry
	Previous Hash // that of the event before; zero for the first
	Hash     Hash // of all of the above
}

// Head is the end of an organization's chain.
type Head struct {
	Organization string
	Sequence     int64 // that of the newest event; 0 when there is none
	Hash         Hash  // likewise; zero
}

// Append returns the event that e becomes behind h.
func (h Head) Append(e Entry) Event {
	next := Event{Organization: h.Organization, Sequence: h.Sequence + 1, Entry: e, Previous: h.Hash}
	next.Hash = next.sum()
	return next
}

// Head returns the head of a chain that e is the end of.
func (e Event) Head() Head {
	return Head{Organization: e.Organization, Sequence: e.Sequence, Hash: e.Hash}
}
