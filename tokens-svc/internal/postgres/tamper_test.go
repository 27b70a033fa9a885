package postgres_test

import (
	"errors"
	"testing"
	"time"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/audit"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// TestVerifyFindsTheFirstChangedEvent in the table itself, by somebody who took
// the trigger away first.
func TestVerifyFindsTheFirstChangedEvent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		statement string
		first     int64 // 0: nothing was done to this organization
	}{
		"nothing":                        {`SELECT 1`, 0},
		"another organization's log":     {`DELETE FROM audit_events WHERE organization_id <> 'org_01k9x3v7t2e8sbq4m6n0pacdfg'`, 0},
		"a name":                         {`UPDATE audit_events SET actor_name = 'nobody' WHERE sequence = 3`, 3},
		"a time":                         {`UPDATE audit_events SET at = at + interval '1 ms' WHERE sequence = 2`, 2},
		"an address":                     {`UPDATE audit_events SET address = '192.0.2.9' WHERE sequence = 4`, 4},
		"an address taken away":          {`UPDATE audit_events SET address = NULL WHERE sequence = 4`, 4},
		"a detail":                       {`UPDATE audit_events SET details = jsonb_set(details, '{name}', '"x"') WHERE sequence = 1`, 1},
		"a detail that is no text":       {`UPDATE audit_events SET details = jsonb_set(details, '{name}', '1') WHERE sequence = 4`, 4},
		"a hash":                         {`UPDATE audit_events SET hash = sha256('x') WHERE sequence = 5`, 5},
		"the previous hash":              {`UPDATE audit_events SET previous = sha256('x') WHERE sequence = 2`, 2},
		"the first removed":              {`DELETE FROM audit_events WHERE sequence = 1`, 1},
		"one in the middle removed":      {`DELETE FROM audit_events WHERE sequence = 3`, 3},
		"the last removed":               {`DELETE FROM audit_events WHERE sequence = 5`, 5},
		"the last two removed":           {`DELETE FROM audit_events WHERE sequence > 3`, 4},
		"all removed":                    {`DELETE FROM audit_events`, 1},
		"one inserted at the end":        {`INSERT INTO audit_events SELECT organization_id, 6, at, actor_kind, actor_id, actor_name, address, request_id, action, target, details, previous, hash, key_version FROM audit_events WHERE sequence = 3`, 6},
		"one inserted, the rest moved":   {`UPDATE audit_events SET sequence = sequence + 100 WHERE sequence > 2; INSERT INTO audit_events SELECT organization_id, 3, at, actor_kind, actor_id, actor_name, address, request_id, action, target, details, previous, hash, key_version FROM audit_events WHERE sequence = 2; UPDATE audit_events SET sequence = sequence - 99 WHERE sequence > 100`, 3},
		"two swapped":                    {`UPDATE audit_events SET sequence = 100 WHERE sequence = 2; UPDATE audit_events SET sequence = 2 WHERE sequence = 4; UPDATE audit_events SET sequence = 4 WHERE sequence = 100`, 2},
		"keys taken away":                {`UPDATE audit_events SET key_version = NULL`, 1},
		"a key taken away":               {`UPDATE audit_events SET key_version = NULL WHERE sequence = 3`, 3},
		"another key":                    {`UPDATE audit_events SET key_version = 9 WHERE sequence = 3`, 3},
		"the end taken back, head's too": {`DELETE FROM audit_events WHERE sequence = 5; UPDATE audit_heads SET sequence = 4`, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dsn := postgrestest.New(t, postgres.Migrate)
			repo := open(t, dsn)
			organization(t, repo)
			other := tokens.Organization{ID: repotest.Other, Name: "Other", CreatedAt: repotest.Noon}
			if _, err := repo.CreateOrganization(t.Context(), other, fullEntry(audit.OrganizationCreated, string(repotest.Other))); err != nil {
				t.Fatal(err)
			}
			for range 4 {
				token, digest := newToken(t, time.Second)
				if _, err := repo.CreateToken(t.Context(), repotest.Org, token, digest, nil, fullEntry(audit.TokenCreated, string(token.ID))); err != nil {
					t.Fatal(err)
				}
			}
			db := connect(t, dsn)
			for _, statement := range []string{`ALTER TABLE audit_events DISABLE TRIGGER USER`, c.statement} {
				if _, err := db.ExecContext(t.Context(), statement); err != nil {
					t.Fatal(err)
				}
			}
			_, err := repo.VerifyAudit(t.Context(), repotest.Org)
			fault, found := errors.AsType[*audit.Fault](err)
			switch {
			case c.first == 0 && err != nil:
				t.Errorf("%v", err)
			case c.first > 0 && (!found || fault.Sequence != c.first || fault.Organization != string(repotest.Org)):
				t.Errorf("%v, want event %d", err, c.first)
			}
		})
	}
}
