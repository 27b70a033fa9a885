package postgres_test

import (
	"testing"

	"github.com/jmoiron/sqlx"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// peopleStore is the repository of people with a look at the audit log.
type peopleStore struct {
	*postgres.Repository
	db *sqlx.DB
}

func (c peopleStore) Events(t *testing.T, org tokens.OrgID) (n int) {
	t.Helper()
	err := c.db.QueryRowContext(t.Context(),
		`SELECT count(*) FROM audit_events WHERE log_id = $1 AND action <> 'organization.created'`, org).Scan(&n)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func openPeople(t *testing.T) peopleStore {
	t.Helper()
	db, err := postgres.Open(as(t, fresh(t)), postgrestest.Session())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	service := tokens.NewService(postgres.NewRepository(db), tokens.Config{})
	for org, name := range map[tokens.OrgID]string{someOrg: "Acme", otherOrg: "Other"} {
		if _, err := service.CreateOrganization(t.Context(), tokens.Operator(), org, name); err != nil {
			t.Fatal(err)
		}
	}
	return peopleStore{postgres.NewRepository(db), db}
}
