package tokens

import (
	"context"
	"iter"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Reader is the look-ups that a Service passes on.
type Reader interface {
	// Token returns a token of org, whatever its status, or ErrNotFound.
	Token(ctx context.Context, org OrgID, id TokenID) (Token, error)
	// AuditLogs returns the ids of all audit logs, of organizations and of people, also of
	// organizations that lost theirs.
	AuditLogs(ctx context.Context) ([]string, error)
	// VerifyAudit checks the numbers and the chain of a whole audit log, as it was at one
	// instant, and returns its head then. It gives an *audit.Fault for the first event
	// that does not match, and ErrNotFound when there is no such log.
	VerifyAudit(ctx context.Context, log string) (audit.Head, error)
}

// Repository keeps organizations and tokens. Its methods are safe for
// concurrent use. Each that changes something does so in one transaction, which
// has committed when the method returns nil: with the change go its entry in
// the organization's audit log and, for a token, the next revision in the
// stream of changes.
//
// Errors wrap ErrUnavailable when the storage cannot be reached or cannot
// serve now, and otherwise those that a method names.
type Repository interface {
	Reader
	// CreateOrganization stores a new organization. It gives ErrExists when the id is
	// taken.
	CreateOrganization(ctx context.Context, o Organization, e audit.Entry) error
	// Organization returns an organization, or ErrNotFound.
	Organization(ctx context.Context, org OrgID) (Organization, error)

	// Policy returns an organization's policy, or ErrNotFound.
	Policy(ctx context.Context, org OrgID) (Policy, error)
	// ChangeOrganization stores the name and policy that decide returns, given the present ones.
	// Nothing happens when it returns an error or changes nothing. It gives ErrNotFound, and the
	// errors of Admit and decide; of the terms only those of the principal count.
	ChangeOrganization(ctx context.Context, org OrgID, terms Terms,
		decide func(Organization, Policy) (Organization, Policy, audit.Entry, error)) error

	// AuditEvents returns a page of the selected events of org's audit log, newest first, and
	// how many there are; or ErrNotFound.
	AuditEvents(ctx context.Context, org OrgID, q AuditQuery, p Page) (events []audit.Event, total int, err error)
	// AllAuditEvents returns all of them, a batch at a time, until the first error.
	AllAuditEvents(ctx context.Context, org OrgID, q AuditQuery) iter.Seq2[audit.Event, error]
	// AuditEventsAfter returns at most n events of org's audit log after a number,
	// oldest first, and the number of the newest; or ErrNotFound.
	AuditEventsAfter(ctx context.Context, org OrgID, after int64, n int) (events []audit.Event, newest int64, err error)
	// CreateToken stores the token that make returns, and returns it with its
	// revision. It gives ErrExists when the id is taken, ErrNotFound without
	// organization, make's error, and the errors of Terms: that of Admit, which is
	// called first, and a *TooManyError.
	//
	// The key of the terms is stored with the change. When the organization has
	// stored it within KeyLifetime, nothing is done: it gives a *RepeatedError, or
	// ErrKeyReused where the fingerprint is another.
	CreateToken(ctx context.Context, org OrgID, terms Terms, make func(Organization) (Creation, error)) (Token, error)
	// ChangeToken passes a token of org, locked against other changes,
	// to decide, and carries out the result; a Step without Kind is to change
	// nothing. It returns the step with the revisions that its tokens were
	// given. It gives ErrNotFound when org has no such token, and decide's error.
	// The terms are as for CreateToken; the key is stored also where nothing changes.
	ChangeToken(ctx context.Context, org OrgID, id TokenID, terms Terms, decide func(Token) (Step, error)) (Step, error)
	// RevokeTokens passes a token of org, with children also its Descendants, to
	// decide, carries out the result, and returns the token as it then is. Errors and
	// terms are as for ChangeToken.
	RevokeTokens(ctx context.Context, org OrgID, id TokenID, children bool, terms Terms,
		decide func(t Token, made []Token) (Revocation, error)) (Token, error)
	// Tokens returns those of org's tokens that q asks for, in its order, and how many it
	// selects on all pages at the given time. An organization that does not exist has none.
	Tokens(ctx context.Context, org OrgID, q Query, now time.Time) (page []Token, total int, err error)
	// Descendants returns the tokens of org that were created or rotated into by a
	// token, by another one of its lineage, or by one of those, whatever their status,
	// oldest first. It gives ErrNotFound when org has no such token.
	Descendants(ctx context.Context, org OrgID, id TokenID) ([]Token, error)
	// Usage returns for each of these tokens of org that was used when and from where it
	// was last used, and how much in the hours since a time.
	Usage(ctx context.Context, org OrgID, ids []TokenID, since time.Time) ([]Use, error)

	// FindToken returns a token of any organization with the digest of its
	// secret, or ErrNotFound. It is for holders of the token: the only
	// look-up without an organization, and one statement in one round trip.
	FindToken(ctx context.Context, id TokenID) (Token, Digest, error)
	// AddUsage adds uses to the stored usage, writing one row for each token and hour.
	// Tokens that do not exist are ignored.
	AddUsage(ctx context.Context, uses []Use) error
	// Changes returns at most n changes after a revision, in order, the revision
	// up to which nothing is missing, and the epoch of all of them. The changes
	// themselves are without epoch. It fails where the newest change may not be
	// known, as on a standby.
	Changes(ctx context.Context, after int64, n int) (changes []Change, upTo int64, epoch string, err error)
	// Reseal replaces the token's digest, provided that it still is the old
	// one. Otherwise it changes nothing. The revision stays: nothing has changed
	// that followers are notified of.
	Reseal(ctx context.Context, id TokenID, old, sealed Digest) error
}

// Creation is a new token.
type Creation struct {
	Token  Token // its revision is not read
	Digest Digest
	Entry  audit.Entry
}

// Step is one change of a token that exists.
type Step struct {
	Kind  ChangeKind // "": none
	Token Token      // as it is to be
	Entry audit.Entry
	// Successor is the new token that takes its place, and Digest that of its
	// secret, where Kind is Rotated. Its own change is Created.
	Successor Token
	Digest    Digest
}

// ChangeKind is the kind of a change.
type ChangeKind string

// The kinds of changes.
const (
	Created ChangeKind = "created"
	Updated ChangeKind = "updated"
	Rotated ChangeKind = "rotated" // its end is set, and there is a successor
	Revoked ChangeKind = "revoked"
)
