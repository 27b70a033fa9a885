package postgres_test

import (
	"net/netip"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// newToken returns a token with every field, created some time after noon, and
// a digest.
func newToken(tb testing.TB, after time.Duration) (tokens.Token, tokens.Digest) {
	tb.Helper()
	s := tokens.Generate(tokens.Test)
	d := tokens.Digest{Version: 7}
	copy(d.MAC[:], s.Reveal())
	return tokens.Token{
		ID:           s.ID(),
		Organization: tokens.Organization{ID: repotest.Org, Name: "Organization 0", CreatedAt: repotest.Noon},
		Name:         `ERP "Kraków", {1}`,
		Environment:  tokens.Test,
		Permissions:  []tokens.Permission{"documents:read", "shipments:write"},
		IPAllow:      []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("2001:db8::1/128")},
		RateLimit:    tokens.RateLimit{Limit: 60, Window: 30 * time.Second},
		CreatedBy:    audit.Actor{Kind: audit.User, ID: "usr_1", Name: "anna@acme.example"},
		Owner:        tokens.Owner{ID: "usr_1"},
		Lineage:      s.ID(),
		CreatedAt:    repotest.Noon.Add(after),
		ExpiresAt:    repotest.Noon.Add(after + 90*24*time.Hour),
	}, d
}

// fullEntry returns an entry of the audit log with every member.
func fullEntry(action audit.Action, target string) audit.Entry {
	return audit.Entry{
		At: repotest.Noon,
		Actor: audit.Actor{
			Kind: audit.User, ID: "usr_1", Name: "anna@acme.example",
			Address: netip.MustParseAddr("2001:db8::1"), RequestID: "req_01k9x3v7t2e8sbq4m6n0pacdfh",
		},
		Action: action, Target: target, Details: map[string]string{"name": `ERP "Kraków"`},
	}
}

// creation returns what creates a token.
func creation(t tokens.Token, d tokens.Digest, e audit.Entry) func(tokens.Organization) (tokens.Creation, error) {
	return func(tokens.Organization) (tokens.Creation, error) {
		return tokens.Creation{Token: t, Digest: d, Entry: e}, nil
	}
}
