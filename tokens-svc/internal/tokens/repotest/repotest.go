// Package repotest says in tests what every tokens.Repository must do.
package repotest

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// The organizations of the tests. The second is never asked for what belongs
// to the first, and must not get it when it asks.
const (
	Org   tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfg"
	Other tokens.OrgID = "org_01k9x3v7t2e8sbq4m6n0pacdfh"
)

// Noon is when the tests' tokens are made.
var Noon = time.Date(2026, time.November, 20, 12, 0, 0, 123e6, time.UTC)

// Run tests the repository that open returns, empty, for each test anew.
func Run(t *testing.T, open func(t *testing.T) tokens.Repository) {
	t.Helper()
	for name, test := range map[string]func(*testing.T, tokens.Repository){
		"an organization comes back as it was stored":       organizationComesBack,
		"an organization's id is taken once":                organizationIsTakenOnce,
		"an organization's test data is a partition apart":  partitionsAreTheirOwn,
		"a token comes back as it was stored":               tokenComesBack,
		"a token's id is taken once":                        tokenIsTakenOnce,
		"a token needs its organization":                    tokenNeedsOrganization,
		"tokens are listed newest first":                    tokensAreListed,
		"another organization's token is not found":         otherOrganizationFindsNothing,
		"revoking ends a token once":                        revokingEndsOnce,
		"of concurrent revocations one counts":              oneRevocationCounts,
		"revisions are dense and unique under concurrency":  revisionsAreDense,
		"resealing replaces exactly the digest it knows":    resealingComparesAndSets,
		"an idempotency key takes effect once":              keyTakesEffectOnce,
		"a failed creation leaves no token and no revision": failureLeavesNothing,
		"a changed token comes back as it was stored":       changeComesBack,
		"what is decided against is not done":               refusalChangesNothing,
		"a rotated token has one successor":                 rotationHasOneSuccessor,
		"tokens are picked by a filter and in pages":        tokensArePicked,
		"what a token made is found down to the last":       descendantsAreFound,
		"usage is added up by the hour":                     usageIsAddedUp,
		"usage never moves back":                            usageNeverMovesBack,
		"another organization's usage is not told":          usageIsPrivate,
		"concurrent reports of usage all count":             reportsAllCount,
		"changes come in the order of their revisions":      changesComeInOrder,
		"the audit log comes back as it was written":        auditComesBack,
		"the audit log comes in pages, newest first":        auditComesInPages,
		"of the audit log one action is picked":             auditIsPickedByAction,
		"the audit log is one chain under concurrency":      auditIsChainedUnderConcurrency,
		"what fails is not in the audit log":                auditOfAFailureIsNone,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := open(t)
			for i, org := range []tokens.OrgID{Org, Other} {
				o := tokens.Organization{ID: org, Name: fmt.Sprintf("Organization %d", i), CreatedAt: Noon}
				if _, err := repo.CreateOrganization(t.Context(), o, Entry(audit.OrganizationCreated, string(org))); err != nil {
					t.Fatal(err)
				}
			}
			test(t, repo)
		})
	}
}

// NewToken returns a token that uses every field, made some time after Noon,
// and a digest.
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

// Entry returns what the audit log is told of a change, with every member.
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

// revoke revokes a token unless that was done before.
func revoke(t *testing.T, repo tokens.Repository, org tokens.OrgID, id tokens.TokenID, at time.Time, reason string) error {
	t.Helper()
	_, err := repo.ChangeToken(t.Context(), org, id, nil, func(token tokens.Token) (tokens.Step, error) {
		if !token.RevokedAt.IsZero() {
			return tokens.Step{Token: token}, nil
		}
		token.RevokedAt, token.RevokedReason = at, reason
		return tokens.Step{Kind: tokens.Revoked, Token: token, Entry: Entry(audit.TokenRevoked, string(id))}, nil
	})
	return err
}

// add stores a token of Org and returns it as it must come back.
func add(t *testing.T, repo tokens.Repository, after time.Duration) (tokens.Token, tokens.Digest) {
	t.Helper()
	token, digest := NewToken(t, after)
	revision, err := repo.CreateToken(t.Context(), Org, token, digest, nil, Entry(audit.TokenCreated, string(token.ID)))
	if err != nil {
		t.Fatal(err)
	}
	token.Revision = revision
	return token, digest
}

func equal(t *testing.T, got, want any) {
	t.Helper()
	options := cmp.Options{
		cmpopts.EquateEmpty(), cmpopts.EquateErrors(), cmpopts.IgnoreFields(tokens.Organization{}, "TestID"), // the repository's choice
		cmpopts.EquateComparable(netip.Prefix{}, netip.Addr{}),
	}
	if diff := cmp.Diff(want, got, options); diff != "" {
		t.Errorf("not as wanted (-want +got):\n%s", diff)
	}
}

func gives(t *testing.T, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
}

// together runs work n times at once.
func together(n int, work func(i int)) {
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() { work(i) })
	}
	all.Wait()
}
