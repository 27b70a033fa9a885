// Package audit is the append-only log of changes in an organization or an
// account.
//
// Guarantees: a log's events form a chain, numbered from 1 without a gap, in which
// each has the SHA-256 of the event before and of all its own content; so Verify
// finds a row that was changed, removed or inserted. A writer who may change rows
// can recompute the chain: a copy of the log that is kept elsewhere shows that.
//
// No secret is in an event. The package imports the standard library only.
package audit

import (
	"encoding/json"
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
)

// Actor is the principal of an event, as known at that time.
type Actor struct {
	Kind      Kind       `json:"kind"`
	ID        string     `json:"id,omitempty"`         // usr_… or tok_…; operators have none
	Name      string     `json:"name"`                 // a person's e-mail, a token's name
	Address   netip.Addr `json:"address,omitzero"`     // where the request came from; zero: not known
	RequestID string     `json:"request_id,omitempty"` // req_…; "" at the command line
}

// CommandLine is the actor of everything that operators do. The program's main
// sets its name once, before anything else runs.
var CommandLine = Actor{Kind: Operator, Name: "command line"}

// Action is the kind of an event.
type Action string

// The actions.
const (
	OrganizationCreated Action = "organization.created"
	OrganizationUpdated Action = "organization.updated"
	TokenCreated        Action = "token.created"
	TokenUpdated        Action = "token.updated"
	TokenRotated        Action = "token.rotated"
	TokenRevoked        Action = "token.revoked"
	MemberInvited       Action = "member.invited"
	InvitationWithdrawn Action = "invitation.withdrawn"
	InvitationDeclined  Action = "invitation.declined"
	MemberJoined        Action = "member.joined"
	MemberRoleChanged   Action = "member.role_changed"
	MemberRemoved       Action = "member.removed"

	UserSignedIn         Action = "user.signed_in"
	UserSignInFailed     Action = "user.sign_in_failed"
	UserSignedOut        Action = "user.signed_out"
	UserPasswordChanged  Action = "user.password_changed"
	UserPasswordSet      Action = "user.password_set"
	UserPasswordReset    Action = "user.password_reset"
	UserFactorAdded      Action = "user.factor_added"
	UserFactorRemoved    Action = "user.factor_removed"
	UserVerified         Action = "user.verified"
	UserDisabled         Action = "user.disabled"
	UserEnabled          Action = "user.enabled"
	UserIdentityLinked   Action = "user.identity_linked"
	UserIdentityUnlinked Action = "user.identity_unlinked"
)

// Actions returns the actions of an organization's log.
func Actions() []Action {
	return []Action{
		TokenCreated, TokenUpdated, TokenRotated, TokenRevoked,
		MemberInvited, InvitationWithdrawn, InvitationDeclined, MemberJoined, MemberRoleChanged, MemberRemoved,
		UserPasswordChanged, UserPasswordSet, UserPasswordReset, UserFactorAdded, UserFactorRemoved, UserVerified,
		UserDisabled, UserEnabled, UserIdentityLinked, UserIdentityUnlinked,
		OrganizationCreated, OrganizationUpdated,
	}
}

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
	Log      string // org_… or usr_…: whose log it is
	Sequence int64  // from 1
	Entry
	Previous Hash // that of the event before; zero for the first
	Hash     Hash // of all of the above
}

// MarshalJSON writes the event as the API and exports have it. The log is not part of it.
func (e Event) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Sequence int64             `json:"sequence"`
		At       string            `json:"at"`
		Actor    Actor             `json:"actor"`
		Action   Action            `json:"action"`
		Target   string            `json:"target"`
		Details  map[string]string `json:"details,omitempty"`
		Previous Hash              `json:"previous_hash"`
		Hash     Hash              `json:"hash"`
	}{e.Sequence, e.Instant(), e.Actor, e.Action, e.Target, e.Details, e.Previous, e.Hash})
}

// Instant is the event's time as the product writes times.
func (e Entry) Instant() string { return e.At.UTC().Truncate(time.Millisecond).Format(timeLayout) }

// Head is the end of a log.
type Head struct {
	Log      string
	Sequence int64 // that of the newest event; 0 when there is none
	Hash     Hash  // likewise; zero
}

// Append returns the event that e becomes behind h.
func (h Head) Append(e Entry) Event {
	next := Event{Log: h.Log, Sequence: h.Sequence + 1, Entry: e, Previous: h.Hash}
	next.Hash = next.sum()
	return next
}

// Head returns the head of a log that e is the end of.
func (e Event) Head() Head { return Head{Log: e.Log, Sequence: e.Sequence, Hash: e.Hash} }
