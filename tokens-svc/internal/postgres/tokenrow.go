package postgres

import (
	"database/sql"
	"net/netip"
	"time"

	"github.com/lib/pq"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// tokenRow is a row of selectTokens.
type tokenRow struct {
	ID                    tokens.TokenID      `db:"id"`
	OrganizationID        tokens.OrgID        `db:"organization_id"`
	OrganizationTestID    tokens.OrgID        `db:"organization_test_id"`
	OrganizationName      string              `db:"organization_name"`
	OrganizationCreatedAt time.Time           `db:"organization_created_at"`
	SharedTest            bool                `db:"shared_test"`
	Name                  string              `db:"name"`
	Environment           tokens.Environment  `db:"environment"`
	Permissions           pq.StringArray      `db:"permissions"`
	IPAllow               prefixes            `db:"ip_allow"`
	RateLimit             int                 `db:"rate_limit"`
	RateWindowSeconds     int                 `db:"rate_window_seconds"`
	CreatedByKind         audit.Kind          `db:"created_by_kind"`
	CreatedByID           string              `db:"created_by_id"`
	CreatedByName         string              `db:"created_by_name"`
	OwnerID               string              `db:"owner_id"`
	OwnerName             string              `db:"owner_name"`
	OwnerRole             tokens.Role         `db:"owner_role"`
	Lineage               tokens.TokenID      `db:"lineage"`
	CreatedAt             time.Time           `db:"created_at"`
	ExpiresAt             sql.Null[time.Time] `db:"expires_at"`
	RevokedAt             sql.Null[time.Time] `db:"revoked_at"`
	RevokedReason         string              `db:"revoked_reason"`
	RotatedFrom           string              `db:"rotated_from"`
	RotatedTo             string              `db:"rotated_to"`
	PepperVersion         int                 `db:"pepper_version"`
	MAC                   []byte              `db:"mac"`
	Revision              int64               `db:"rev"`
	BoundsVersion         int                 `db:"bounds_version"`
	BoundsMAC             []byte              `db:"bounds_mac"`
}

func (r tokenRow) token() tokens.Token {
	t := tokens.Token{
		ID: r.ID,
		Organization: tokens.Organization{
			ID: r.OrganizationID, TestID: r.OrganizationTestID, Name: r.OrganizationName, CreatedAt: r.OrganizationCreatedAt.UTC(),
			SharedTest: r.SharedTest,
		},
		Name:          r.Name,
		Environment:   r.Environment,
		Permissions:   make([]tokens.Permission, len(r.Permissions)),
		IPAllow:       r.IPAllow,
		RateLimit:     tokens.RateLimit{Limit: r.RateLimit, Window: time.Duration(r.RateWindowSeconds) * time.Second},
		CreatedBy:     audit.Actor{Kind: r.CreatedByKind, ID: r.CreatedByID, Name: r.CreatedByName},
		Owner:         tokens.Owner{ID: r.OwnerID, Name: r.OwnerName, Role: r.OwnerRole},
		Lineage:       r.Lineage,
		CreatedAt:     r.CreatedAt.UTC(),
		ExpiresAt:     utc(r.ExpiresAt),
		RevokedAt:     utc(r.RevokedAt),
		RevokedReason: r.RevokedReason,
		RotatedFrom:   tokens.TokenID(r.RotatedFrom),
		RotatedTo:     tokens.TokenID(r.RotatedTo),
		Revision:      r.Revision,
		Bounds:        toDigest(r.BoundsVersion, r.BoundsMAC),
	}
	for i, p := range r.Permissions {
		t.Permissions[i] = tokens.Permission(p)
	}
	return t
}

// prefixes is an array of cidr.
type prefixes []netip.Prefix

// Scan implements sql.Scanner.
func (p *prefixes) Scan(src any) error {
	var texts pq.StringArray
	err := texts.Scan(src)
	*p = make(prefixes, len(texts))
	for i, text := range texts {
		if err == nil {
			(*p)[i], err = netip.ParsePrefix(text)
		}
	}
	return err
}

func (r tokenRow) digest() tokens.Digest { return toDigest(r.PepperVersion, r.MAC) }

// toDigest fills a MAC of another length, which is not ours, with zeros or cuts it.
func toDigest(version int, mac []byte) tokens.Digest {
	d := tokens.Digest{Version: version}
	copy(d.MAC[:], mac)
	return d
}

// null returns NULL for the zero value.
func null[T comparable](value T) sql.Null[T] { return sql.Null[T]{V: value, Valid: value != *new(T)} }

// nullMAC returns NULL for the zero Digest, and its version and MAC otherwise.
func nullMAC(d tokens.Digest) (sql.Null[int], []byte) {
	if d.Version == 0 {
		return sql.Null[int]{}, nil
	}
	return null(d.Version), d.MAC[:]
}

// utc returns the zero time for NULL.
func utc(t sql.Null[time.Time]) time.Time {
	if !t.Valid {
		return time.Time{}
	}
	return t.V.UTC()
}
