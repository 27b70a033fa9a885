package tokens

import (
	"context"
	"time"
)

// Repository keeps organizations and tokens. Its methods are safe for
// concurrent use. Each that changes something does so in one transaction, which
// has committed when the method returns nil; one that changes a token gives it
// the next revision in that transaction.
//
// Errors wrap ErrUnavailable when the storage cannot be reached or cannot
// serve now, and otherwise those that a method names.
type Repository interface {
	// CreateOrganization stores a new organization, or gives ErrExists.
	CreateOrganization(ctx context.Context, o Organization) error
	// Organization returns an organization, or ErrNotFound.
	Organization(ctx context.Context, org OrgID) (Organization, error)

	// CreateToken stores a new token of org with the digest of its secret and
	// returns its revision; t's own organization and revision are not read. It
	// gives ErrExists when the id is taken, ErrNotFound without organization.
	CreateToken(ctx context.Context, org OrgID, t Token, d Digest) (revision int64, err error)
	// Token returns a token of org, or ErrNotFound.
	Token(ctx context.Context, org OrgID, id TokenID) (Token, error)
	// Tokens returns all tokens of org, whatever their status, newest first. An
	// organization that does not exist has none.
	Tokens(ctx context.Context, org OrgID) ([]Token, error)
	// RevokeToken revokes a token of org, unless that was done before: then it
	// changes nothing. It gives ErrNotFound when org has no such token.
	RevokeToken(ctx context.Context, org OrgID, id TokenID, at time.Time, reason string) error

	// FindToken returns a token of any organization with the digest of its
	// secret, or ErrNotFound. It is for those who hold the token: the only
	// look-up without an organization, and one statement in one round trip.
	FindToken(ctx context.Context, id TokenID) (Token, Digest, error)
	// Reseal replaces the token's digest, provided that it still is the old
	// one. Otherwise it changes nothing. The revision stays: nothing has changed
	// that anybody is told of.
	Reseal(ctx context.Context, id TokenID, old, sealed Digest) error
}
