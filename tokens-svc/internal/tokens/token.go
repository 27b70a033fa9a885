// Package tokens is the authority on organizations and their API tokens: their
// format, storage, permissions and validity.
//
// Guarantees:
//
//   - A token's secret exists once, in the result of Create. Nothing stores
//     it, and its type Secret does not print it by
//     accident: see Secret.Reveal.
//
//   - The stored value verifies a token but cannot create one: an HMAC under a pepper
//     that the database does not hold. See Peppers.
//
//   - The reason for a refusal is disclosed only to a caller that presents
//     the right one; guesses all look alike, in content and in work done.
//
//   - Every operation names the organization it acts for (OrgID), so that no
//     caller can omit it. Looking a token up by the token itself is the one
//     exception: it returns the organization.
//
//   - Every change names its principal, is refused if it is
//     not allowed, and happens together with its event in the audit log and its
//     revision in the stream of changes, or not at all.
//
// The package imports the standard library and internal/audit only. Storage is
// a Repository, which internal/postgres implements.
package tokens

import (
	"net/netip"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
)

// OrgID identifies an organization: "org_" and 26 characters, made and checked by servicekit/api/publicid.
type OrgID string

// TokenID identifies a token: "tok_" and 12 base62 characters, which also stand in the token's text. It is public.
type TokenID string

// Organization is the tenant that tokens belong to.
type Organization struct {
	ID        OrgID     `json:"id"` // begins with org_0: see Token.Partition
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"-"` // UTC, whole milliseconds
	Policy    Policy    `json:"-"` // zero where only the name matters, as in a Token
}

// Token is all that is known of an API token, apart from its secret. Its times are UTC, in whole milliseconds.
type Token struct {
	ID           TokenID
	Organization Organization
	Name         string // for display; need not be unique
	Environment  Environment
	Permissions  []Permission   // as granted, sorted; Catalogue.Expand adds implied ones
	IPAllow      []netip.Prefix // where it may be used from, sorted; empty: anywhere
	RateLimit    RateLimit
	// CreatedBy is the creator: kind, id and the name at that time. A
	// successor has that of the token whose place it takes.
	CreatedBy audit.Actor
	Owner     Owner   // whose role bounds it; see Effective
	Lineage   TokenID // the first token of its chain of rotations, perhaps itself
	CreatedAt time.Time
	ExpiresAt time.Time // a whole second, except of tokens from earlier versions; zero: never
	RevokedAt time.Time // zero: not revoked
	// RevokedReason is the reason given at revocation; may be empty.
	RevokedReason string
	RotatedFrom   TokenID     // whose place it took, or ""
	RotatedBy     audit.Actor // who rotated that: kind, id and the name at that time
	RotatedTo     TokenID     // the successor, or ""
	// Revision grows with each change of any token, in the order in which the changes were committed.
	Revision int64
}

// RateLimit is how many requests a token may make in each window.
type RateLimit struct {
	Limit         int `json:"limit"`
	WindowSeconds int `json:"window_seconds"`
}

// DefaultRateLimit is the documented limit: 100 requests a minute.
var DefaultRateLimit = RateLimit{Limit: 100, WindowSeconds: 60}

// Status is the state of a token.
type Status string

// The statuses. A token that was revoked stays so when its expiry passes.
const (
	StatusActive  Status = "active"
	StatusExpired Status = "expired"
	StatusRevoked Status = "revoked"
)

// Status returns the token's status at the given time. A token is expired from the very instant of ExpiresAt on.
func (t Token) Status(now time.Time) Status {
	switch {
	case !t.RevokedAt.IsZero():
		return StatusRevoked
	case !t.ExpiresAt.IsZero() && !now.Before(t.ExpiresAt):
		return StatusExpired
	default:
		return StatusActive
	}
}
