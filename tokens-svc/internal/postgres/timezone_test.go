package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestTimesDoNotDependOnTheServersZone: they are read in UTC, and one that is not set is Go's zero time.
func TestTimesDoNotDependOnTheServersZone(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	if _, err := connect(t, dsn).ExecContext(t.Context(), `DO $$ BEGIN
		EXECUTE format('ALTER DATABASE %I SET timezone = ''America/New_York''', current_database());
	END $$`); err != nil {
		t.Fatal(err)
	}
	repo := open(t, dsn)
	organization(t, repo)
	token, digest := newToken(t, time.Second)
	token.ExpiresAt = time.Time{}
	if _, err := create(t, repo, someOrg, token, digest); err != nil {
		t.Fatal(err)
	}
	read, err := repo.Token(t.Context(), someOrg, token.ID)
	if err != nil || read.CreatedAt != token.CreatedAt || read.ExpiresAt != (time.Time{}) ||
		read.Organization.CreatedAt.Location() != time.UTC {
		t.Errorf("%+v, %v", read, err)
	}
	expired, _, err := repo.Tokens(t.Context(), someOrg, tokens.Query{Filter: tokens.FilterExpired}, atNoon)
	if err != nil || len(expired) != 0 {
		t.Errorf("a token without end is expired: %v, %v", expired, err)
	}
}
