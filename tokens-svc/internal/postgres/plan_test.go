package postgres

import (
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
)

// TestEveryLookUpGoesByAnIndex: among many, one token is found, and one
// organization's are listed, without reading the others.
func TestEveryLookUpGoesByAnIndex(t *testing.T) {
	t.Parallel()
	db, err := sql.Open("postgres", postgrestest.Direct(postgrestest.New(t, Migrate)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	for _, statement := range []string{
		`INSERT INTO organizations (id, name, created_at)
			SELECT 'org_' || lpad(n::text, 26, '0'), 'n', now() FROM generate_series(0, 1999) n`,
		`INSERT INTO api_tokens (id, organization_id, name, environment, permissions, ip_allow, rate_limit,
				rate_window_seconds, created_at, pepper_version, mac, rev,
				created_by_kind, created_by_id, created_by_name, owner_id, lineage)
			SELECT 'tok_' || lpad(n::text, 12, '0'), 'org_' || lpad((n % 2000)::text, 26, '0'), 'n', 'live', '{admin}',
				'{}', 100, 60, now() - make_interval(secs => n), 1, sha256('x'), n,
				'operator', '', 'command line', '', 'tok_' || lpad(n::text, 12, '0')
			FROM generate_series(1, 20000) n`,
		`INSERT INTO users (id, email, name, password, created_at)
			SELECT 'usr_' || lpad(n::text, 26, '0'), n || '@acme.example', 'n', '', now() FROM generate_series(0, 1999) n`,
		`INSERT INTO memberships (organization_id, user_id, role, joined_at)
			SELECT 'org_' || lpad(n::text, 26, '0'), 'usr_' || lpad(n::text, 26, '0'), 'owner', now()
			FROM generate_series(0, 1999) n`,
		`ANALYZE`,
	} {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct{ condition, index string }{
		"FindToken": {`WHERE t.id = 'tok_000000000007'`, "api_tokens_pkey"},
		"Token": {
			`WHERE t.organization_id = 'org_00000000000000000000000007' AND t.id = 'tok_000000000007'`,
			"api_tokens_pkey",
		},
		"Tokens": {
			`WHERE t.organization_id = 'org_00000000000000000000000007' ORDER BY t.created_at DESC, t.id DESC`,
			"api_tokens_of_organization",
		},
	} {
		plan := explain(t, db, selectTokens+c.condition)
		if strings.Contains(plan, "Seq Scan") || !strings.Contains(plan, c.index) {
			t.Errorf("%s does not go by %s:\n%s", name, c.index, plan)
		}
	}
}

func explain(t *testing.T, db *sql.DB, query string) string {
	t.Helper()
	rows, err := db.QueryContext(t.Context(), fmt.Sprintf("EXPLAIN %s", query))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var plan strings.Builder
	for rows.Next() {
		var line string
		if err := rows.Scan(&line); err != nil {
			t.Fatal(err)
		}
		plan.WriteString(line + "\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return plan.String()
}
