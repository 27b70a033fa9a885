// Package repotest has fixtures for tests on a tokens.Repository.
package repotest

import (
	"crypto/rand"
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The organizations of the tests.
const (
	Org   tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	Other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// Noon is the creation time of the tests' tokens.
var Noon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)

// NewToken returns a token with every field, created some time after Noon, and
// a digest.
func NewToken(tb testing.TB, after time.Duration) (tokens.Token, tokens.Digest) {
	tb.Helper()
	s, err := tokens.Generate(tokens.Test, rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	d := tokens.Digest{Version: 7}
	copy(d.MAC[:], s.Reveal())
	return tokens.Token{
		ID:           s.ID(),
		Organization: tokens.Organization{ID: Org, Name: "Organization 0", CreatedAt: Noon},
		Name:         `ERP "Kraków", {1}`,
		Environment:  tokens.Test,
		Permissions:  []tokens.Permission{"documents:read", "shipments:write"},
		IPAllow:      []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")},
		RateLimit:    tokens.RateLimit{Limit: 60, Window: 30 * time.Second},
		CreatedBy:    audit.Actor{Kind: audit.User, ID: "usr_1", Name: "anna@acme.example"},
		Owner:        tokens.Owner{ID: "usr_1"},
		Lineage:      s.ID(),
		CreatedAt:    Noon.Add(after),
		ExpiresAt:    Noon.Add(after + 90*24*time.Hour),
	}, d
}

// Entry returns an entry of the audit log with every member.
func Entry(action audit.Action, target string) audit.Entry {
	return audit.Entry{
		At: Noon,
		Actor: audit.Actor{
			Kind: audit.User, ID: "usr_1", Name: "anna@acme.example",
			Address: netip.MustParseAddr("2001:db8::1"), RequestID: "req_01k9x3v7t2e8sbq4m6n0pacdfh",
		},
		Action: action, Target: target, Details: map[string]string{"name": `ERP "Kraków"`},
	}
}

// AuditKeys returns the keys of the tests' audit logs: version 1 is 00 01 … 1f.
func AuditKeys() audit.Keys {
	keys, err := audit.ParseKeys("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		panic(err)
	}
	return keys
}
