// Package audit is the append-only log of changes in an organization or an account.
//
// Guarantees: a log's events form a chain, numbered from 1 without a gap, in which each has the SHA-256 of the event
// before and of all its own content; so Verify finds a row that was changed, removed or inserted. A writer who may
// change rows can recompute the chain: a copy of the log that is kept elsewhere shows that.
//
// No secret is in an event. The package imports the standard library only.
package audit

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"net/netip"
	"slices"
	"strconv"
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
	Kind      Kind    `json:"kind"`
	ID        string  `json:"id,omitempty"`         // usr_… or tok_…; operators have none
	Name      string  `json:"name"`                 // a person's e-mail, a token's name
	Address   Address `json:"address,omitzero"`     // where the request came from; zero: not known
	RequestID string  `json:"request_id,omitempty"` // req_…; "" at the command line
}

// Address is an IP address without a zone, which is stored as an inet; zero: not known.
type Address struct{ netip.Addr }

// Scan implements sql.Scanner, for the text of an address or NULL.
func (a *Address) Scan(src any) error {
	text, _ := src.(string)
	return a.UnmarshalText([]byte(text))
}

// CommandLine is the actor of everything that operators do. A command adds the operator's name before anything else.
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
	UserRenamed          Action = "user.renamed"
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
		UserRenamed, UserPasswordChanged, UserPasswordSet, UserPasswordReset, UserFactorAdded, UserFactorRemoved,
		UserVerified, UserDisabled, UserEnabled, UserIdentityLinked, UserIdentityUnlinked,
		OrganizationCreated, OrganizationUpdated,
	}
}

// Entry is something that was done, before it has its place in a chain.
type Entry struct {
	At      time.Time // UTC, whole milliseconds
	Actor   Actor
	Action  Action
	Target  string // the id of the affected object
	Details Details
	Mails   []Mail // are stored in the transaction of the event, and are no part of it
}

// Mail is a mail that is to be sent about an event.
type Mail struct {
	To, Name string // the recipient's address, and which mail it is
	Letter   any    // what the text is made of, as JSON; never a secret
}

// Details are further facts of an event; never a secret.
type Details map[string]string

// Scan implements sql.Scanner, for the bytes of a JSON object. One whose values are no texts was not written by this
// program: it becomes a detail that no event has, so that Verify finds it, and pages show it.
func (d *Details) Scan(src any) error {
	text, _ := src.([]byte)
	if json.Unmarshal(text, d) != nil {
		*d = Details{"unreadable": string(text)}
	}
	return nil
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
		Sequence int64   `json:"sequence"`
		At       string  `json:"at"`
		Actor    Actor   `json:"actor"`
		Action   Action  `json:"action"`
		Target   string  `json:"target"`
		Details  Details `json:"details,omitempty"`
		Previous Hash    `json:"previous_hash"`
		Hash     Hash    `json:"hash"`
	}{e.Sequence, Instant(e.At), e.Actor, e.Action, e.Target, e.Details, e.Previous, e.Hash})
}

// Instant returns a time as the product writes times, 2026-11-20T14:03:52.123Z, and "" where there is none.
func Instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Truncate(time.Millisecond).Format("2006-01-02T15:04:05.000Z")
}

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

// Hash is the SHA-256 of an event.
type Hash [sha256.Size]byte

// String returns the hash in hexadecimal.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// Scan implements sql.Scanner, for the bytes of a hash.
func (h *Hash) Scan(src any) error {
	if b, ok := src.([]byte); !ok || copy(h[:], b) != len(h) {
		return fmt.Errorf("%v is no hash", src)
	}
	return nil
}

// MarshalText implements encoding.TextMarshaler.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// format is the first field, so that another encoding can never give the same hash.
const format = "quayside/audit/v1"

// sum returns the hash of an event: SHA-256 over these fields in this order, each
// as its length in bytes (64 bits, big-endian) and its text:
//
//	format, log, sequence, previous hash (32 bytes), time, actor's kind, id, name,
//	address and request id, action, target,
//	and for each detail, sorted by name: its name, its text
//
// The lengths make the encoding unambiguous: no two events share one.
func (e Event) sum() (h Hash) {
	w := sha256.New()
	write := func(texts ...string) {
		for _, text := range texts {
			_, _ = w.Write(binary.BigEndian.AppendUint64(nil, uint64(len(text))))
			_, _ = io.WriteString(w, text)
		}
	}
	address, _ := e.Actor.Address.MarshalText() // "" if it is not known
	write(
		format, e.Log, strconv.FormatInt(e.Sequence, 10), string(e.Previous[:]),
		Instant(e.At),
		string(e.Actor.Kind), e.Actor.ID, e.Actor.Name, string(address), e.Actor.RequestID, string(e.Action), e.Target,
	)
	for _, name := range slices.Sorted(maps.Keys(e.Details)) {
		write(name, e.Details[name])
	}
	w.Sum(h[:0])
	return h
}

// Fault is the first event that does not match the chain.
type Fault struct {
	Log      string
	Sequence int64
	Reason   string
}

// Error implements error.
func (f *Fault) Error() string {
	return fmt.Sprintf("audit log of %s: event %d %s", f.Log, f.Sequence, f.Reason)
}

// Verify checks the numbers and the chain of one log, all of its events in order, against its head. It returns a *Fault
// for the first event that was changed, removed or inserted, and otherwise the error with which the events ended. An
// empty log is a fault: none is made without an event.
func Verify(events iter.Seq2[Event, error], head Head) error {
	at := Head{Log: head.Log}
	fault := func(sequence int64, reason string) error { return &Fault{head.Log, sequence, reason} }
	for e, err := range events {
		if err != nil {
			return err
		}
		switch next := at.Sequence + 1; {
		case e.Sequence > next:
			return fault(next, "is missing")
		case e.Sequence > head.Sequence:
			return fault(e.Sequence, "lies behind the head: it was inserted")
		case e.sum() != e.Hash:
			return fault(e.Sequence, "was changed: its content does not have its hash")
		case e.Previous != at.Hash || e.Sequence < next:
			return fault(e.Sequence, "does not follow the event before it")
		}
		at = e.Head()
	}
	switch {
	case head.Sequence == 0:
		return fault(1, "is missing: the log is empty")
	case at.Sequence < head.Sequence:
		return fault(at.Sequence+1, "is missing")
	case at.Hash != head.Hash:
		return fault(at.Sequence, "is not the one of the head")
	}
	return nil
}
