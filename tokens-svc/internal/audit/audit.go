// Package audit is the tamper-evident log of changes in an organization.
//
// Guarantees: an organization's events form a chain, numbered from 1 without a
// gap, in which each carries an HMAC, under one of the Keys, of the event before
// and of all its own content; so Verify finds a row that was changed, removed or
// inserted by a writer without the keys. Events from before there were keys have
// a plain hash; the first event with a key protects those before it.
//
// The chain's Head is stored, too, and finds a missing end. A writer can replace
// a log and its head by an earlier state of both: only a head that is kept
// elsewhere finds that.
//
// No secret is in an event. The package imports the standard library and
// internal/keyring only.
package audit

import (
	"net/netip"
	"time"
)

// Kind is the kind of an actor.
type Kind string

// The kinds of actors.
const (
	User     Kind = "user"     // a person, signed in
	Token    Kind = "token"    // an API token, through the management API
	Operator Kind = "operator" // an operator at the command line
	System   Kind = "system"   // tokens-svc by itself
)

// Actor is the principal of an event, as known at that time.
type Actor struct {
	Kind      Kind       `json:"kind"`
	ID        string     `json:"id,omitempty"`         // usr_… or tok_…; operators and the system have none
	Name      string     `json:"name"`                 // a person's e-mail, a token's name
	Address   netip.Addr `json:"address,omitzero"`     // where the request came from; zero: not known
	RequestID string     `json:"request_id,omitempty"` // req_…; "" at the command line
}

// CommandLine is the actor of everything that operators do. The program's main
// sets its name once, before anything else runs.
var CommandLine = Actor{Kind: Operator, Name: "command line"}

// Service is the actor of tokens-svc's own actions.
var Service = Actor{Kind: System, Name: "tokens-svc"}

// Action is the kind of an event.
type Action string

// The actions.
const (
	OrganizationCreated Action = "organization.created"
	LogAnchored         Action = "audit.anchored"
	TokenCreated        Action = "token.created"
	TokenUpdated        Action = "token.updated"
	TokenRotated        Action = "token.rotated"
	TokenRevoked        Action = "token.revoked"
	TokenHandedOver     Action = "token.handed_over" //nolint:gosec // G101: an action, no credential
	MemberInvited       Action = "member.invited"
	InvitationWithdrawn Action = "invitation.withdrawn"
	InvitationDeclined  Action = "invitation.declined"
	MemberJoined        Action = "member.joined"
	MemberRoleChanged   Action = "member.role_changed"
	MemberRemoved       Action = "member.removed"

	UserSignedIn         Action = "user.signed_in"
	UserSignInFailed     Action = "user.sign_in_failed"
	UserSignedOut        Action = "user.signed_out"
	UserSessionExpired   Action = "user.session_expired"
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
	Target  string            // the id of the affected object
	Details map[string]string // further facts; never a secret
}

// Event is an entry in its place.
type Event struct {
	Organization string // org_…
	Sequence     int64  // from 1
	Entry
	KeyVersion int  // of the key of Hash; 0: made before there were keys
	Previous   Hash // that of the event before; zero for the first
	Hash       Hash // of all of the above
}

// Head is the end of an organization's chain.
type Head struct {
	Organization string `json:"organization"`
	Sequence     int64  `json:"sequence"` // that of the newest event; 0 when there is none
	Hash         Hash   `json:"hash"`     // likewise; zero
	KeyVersion   int    `json:"-"`        // likewise; 0: none, or unknown
}

// Unanchored reports whether the chain ends with an event without a key.
func (h Head) Unanchored() bool { return h.Sequence > 0 && h.KeyVersion == 0 }

// Append returns the event that e becomes behind h, under the primary key.
// Behind an event without a key only LogAnchored is accepted; anything else
// gives ErrUnanchored. Without keys the event has a plain hash.
func (h Head) Append(e Entry, keys Keys) (Event, error) {
	if h.Unanchored() && !keys.IsZero() && e.Action != LogAnchored {
		return Event{}, ErrUnanchored
	}
	next := Event{Organization: h.Organization, Sequence: h.Sequence + 1, Entry: e, KeyVersion: keys.primary(), Previous: h.Hash}
	next.Hash, _ = next.sum(keys)
	return next, nil
}

// Head returns the head of a chain that e is the end of.
func (e Event) Head() Head {
	return Head{Organization: e.Organization, Sequence: e.Sequence, Hash: e.Hash, KeyVersion: e.KeyVersion}
}
