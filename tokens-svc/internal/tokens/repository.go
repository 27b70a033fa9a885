package tokens

import (
	"context"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// Repository keeps organizations and tokens. Its methods are safe for concurrent use. Each that changes something does
// so in one transaction, which has committed when the method returns nil: with the change go its entry in the
// organization's audit log and, for a token, the next revision in the stream of changes.
//
// Errors wrap ErrUnavailable when the storage cannot be reached or cannot
// serve now, and otherwise those that a method names.
type Repository interface {
	// Token returns a token of org, whatever its status, or ErrNotFound.
	Token(ctx context.Context, org OrgID, id TokenID) (Token, error)
	// CreateOrganization stores a new organization. It gives ErrExists when the id is taken.
	CreateOrganization(ctx context.Context, o Organization, e audit.Entry) error

	// AuditEvents is as that of Service.
	AuditEvents(ctx context.Context, org OrgID, q AuditQuery, p Page) (AuditPage, error)
	// Change runs the steps in a transaction of org, the only one there at the time, and commits when
	// all return nil. It gives ErrNotFound without organization, and the error of a step.
	Change(ctx context.Context, org OrgID, steps ...func(Tx) error) error
	// Tokens returns those of org's tokens that q asks for, in its order, and how many it
	// selects on all pages at the given time. An organization that does not exist has none.
	Tokens(ctx context.Context, org OrgID, q Query, now time.Time) (page []Token, total int, err error)
	// Descendants returns the tokens of org that were created or rotated into by a token of a
	// lineage, or by one of those, whatever their status, oldest first.
	Descendants(ctx context.Context, org OrgID, lineage TokenID) ([]Token, error)
	// Usage returns for each of these tokens of org that was used when and from where it
	// was last used, and how much in the hours since a time.
	Usage(ctx context.Context, org OrgID, ids []TokenID, since time.Time) ([]Use, error)
	// History is as that of Service.
	History(ctx context.Context, org OrgID, id TokenID, since time.Time) ([]Hour, []Failure, error)

	// FindToken returns a token of any organization with the digest of its secret, or ErrNotFound. It is for holders of
	// the token: the only look-up without an organization, and one statement in one round trip.
	FindToken(ctx context.Context, id TokenID) (Token, Digest, error)
	// AddUsage adds uses to the stored usage, writing one row for each hour of each token and of each organization, and
	// keeps KeptErrors errors of each token. Tokens that do not exist are ignored.
	AddUsage(ctx context.Context, uses []Use) error
	// Changes returns at most n changes after a revision, in order, the revision up to which nothing is missing, and the
	// epoch of all of them. The changes themselves are without epoch. It fails where the newest change may not be known,
	// as on a standby.
	Changes(ctx context.Context, after int64, n int) (changes []Change, upTo int64, epoch string, err error)
	// Reseal replaces the token's digest, provided that it still is the old one. Otherwise it changes nothing. The
	// revision stays: nothing has changed that followers are notified of.
	Reseal(ctx context.Context, id TokenID, old, sealed Digest) error
}

// Tx is a transaction that changes one organization.
type Tx interface {
	// Organization returns the organization with its policy, as it was when the transaction began.
	Organization() Organization
	// SetOrganization stores the organization's name and its policy, under the next version.
	SetOrganization(ctx context.Context, name string, p Policy) error
	// Token returns a token of the organization, whatever its status, or ErrNotFound.
	Token(ctx context.Context, id TokenID) (Token, error)
	// Descendants is Repository.Descendants.
	Descendants(ctx context.Context, lineage TokenID) ([]Token, error)
	// Active returns how many tokens of the organization are active at a time.
	Active(ctx context.Context, at time.Time) (int, error)
	// Role returns the role of a person; "" for one who is no member or whose account is disabled.
	Role(ctx context.Context, person string) (Role, error)
	// CheckKey gives a *RepeatedError when the organization has stored the key, unless it is nil, within
	// KeyLifetime, or ErrKeyReused where the fingerprint is another.
	CheckKey(ctx context.Context, k *Key) error
	// StoreKey stores an idempotency key, unless it is nil, with the token that its request made or revoked.
	StoreKey(ctx context.Context, k *Key, id TokenID) error
	// Holders returns the addresses of the people whose token it is: its owner, or the maker of an organization's; if the
	// maker is no member, all owners of the organization. Former members and disabled accounts get no mail.
	Holders(ctx context.Context, t Token, maker audit.Actor) ([]string, error)
	// Record appends to the organization's audit log, and stores the mails of the entries.
	Record(ctx context.Context, entries ...audit.Entry) error

	// Insert stores a new token and returns its revision. It gives ErrExists when the id is
	// taken. This and the methods below come last in a transaction: the counter of revisions,
	// which is that of all organizations, is locked from the first of them to the commit.
	Insert(ctx context.Context, t Token, d Digest) (revision int64, err error)
	// Update stores what may change of a token and returns its revision.
	Update(ctx context.Context, t Token, kind ChangeKind) (revision int64, err error)
	// Revoke revokes tokens, in as many statements as for one.
	Revoke(ctx context.Context, ids []TokenID, at time.Time, reason string) error
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
