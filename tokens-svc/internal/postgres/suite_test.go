package postgres_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

func TestRepository(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T, *postgres.Repository){
		"an organization is read as it was stored":             organizationComesBack,
		"an organization's id is unique":                       organizationIsTakenOnce,
		"an organization's id is not that of a test partition": partitionsAreNoOrganizations,
		"a token is read as it was stored":                     tokenComesBack,
		"a token's id is unique":                               tokenIsTakenOnce,
		"a token needs its organization":                       tokenNeedsOrganization,
		"tokens are listed newest first":                       tokensAreListed,
		"another organization's token is not found":            otherOrganizationFindsNoToken,
		"a second revocation changes nothing":                  revokingEndsOnce,
		"revisions are dense and unique under concurrency":     revisionsAreDense,
		"resealing is a compare-and-set of the digest":         resealingComparesAndSets,
		"a changed token is read as it was stored":             changeComesBack,
		"a refused change changes nothing":                     refusalChangesNothing,
		"changes take turns, and their log is one chain":       changesTakeTurns,
		"tokens are filtered and paged":                        tokensArePicked,
		"tokens are found by name and id, and sorted":          tokensAreSought,
		"descendants of a token are found at every depth":      descendantsAreFound,
		"a revocation ends all of its tokens at once":          revocationEndsAllAtOnce,
		"active tokens are counted":                            activeTokensAreCounted,
		"usage is summed by hour":                              usageIsAddedUp,
		"results and errors are kept":                          resultsAndErrorsAreKept,
		"usage never moves back":                               usageNeverMovesBack,
		"another organization's usage is not found":            usageIsPrivate,
		"concurrent usage reports are all added":               reportsAllCount,
		"changes are in the order of their revisions":          changesComeInOrder,
		"the audit log is read as it was written":              auditComesBack,
		"the audit log is filtered":                            auditIsFiltered,
		"the audit log is paged, newest first":                 auditComesInPages,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			repo := open(t, fresh(t))
			for i, org := range []tokens.OrgID{someOrg, otherOrg} {
				o := tokens.Organization{ID: org, Name: fmt.Sprintf("Organization %d", i), CreatedAt: atNoon}
				if err := repo.CreateOrganization(t.Context(), o, fullEntry(audit.OrganizationCreated,
					string(org))); err != nil {
					t.Fatal(err)
				}
			}
			test(t, repo)
		})
	}
}

// revoke revokes a token unless it is revoked already.
func revoke(
	t *testing.T, repo *postgres.Repository, org tokens.OrgID, id tokens.TokenID, at time.Time, reason string,
) error {
	t.Helper()
	return repo.Change(t.Context(), org, func(tx tokens.Tx) error {
		token, err := tx.Token(t.Context(), id)
		if err != nil || !token.RevokedAt.IsZero() {
			return err
		}
		if err := tx.Record(t.Context(), fullEntry(audit.TokenRevoked, string(id))); err != nil {
			return err
		}
		return tx.Revoke(t.Context(), []tokens.TokenID{id}, at, reason)
	})
}

// add stores a token of the first organization and returns it with its revision.
func add(t *testing.T, repo *postgres.Repository, after time.Duration) (tokens.Token, tokens.Digest) {
	t.Helper()
	token, digest := newToken(t, after)
	stored, err := create(t, repo, someOrg, token, digest)
	if err != nil {
		t.Fatal(err)
	}
	token.Revision = stored.Revision
	return token, digest
}
