package postgres_test

import (
	"encoding/base64"
	"slices"
	"strings"
	"testing"

	"github.com/quayside/quayside/gateway/servicekit/postgres/postgrestest"
	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/tokens"
	"github.com/quayside/quayside/tokens-svc/internal/tokens/repotest"
)

// unbound are the columns of api_tokens that give a token no authority. Any
// other must be in the MAC of its bounds.
var unbound = []string{"name", "created_by_name", "revoked_reason", "pepper_version", "mac", "rev", "bounds_version", "bounds_mac"}

// altered is an SQL expression for another value of each bound column.
var altered = map[string]string{
	"id":                  `'tok_zzzzzzzzzzzz'`,
	"organization_id":     `'` + string(repotest.Other) + `'`,
	"environment":         `'test'`,
	"permissions":         `'{admin}'`,
	"ip_allow":            `'{0.0.0.0/0}'`,
	"rate_limit":          `1000000`,
	"rate_window_seconds": `1`,
	"created_by_kind":     `'user'`,
	"created_by_id":       `'usr_1'`,
	"created_at":          `created_at - interval '1 millisecond'`,
	"expires_at":          `NULL`,
	"revoked_at":          `now()`,
	"rotated_from":        `(SELECT max(id) FROM api_tokens)`,
	"rotated_to":          `(SELECT max(id) FROM api_tokens)`,
	"owner_id":            `'usr_1'`,
	"lineage":             `'tok_zzzzzzzzzzzz'`,
}

// TestNoColumnOfATokenCanBeAltered: every column of the table is either known
// to give no authority, or a change of it is found, whether the MAC is left as
// it was, by a trigger that is gone, or removed with the change.
func TestNoColumnOfATokenCanBeAltered(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo, db := open(t, dsn), connect(t, dsn)
	p, err := tokens.ParsePeppers("1:" + base64.StdEncoding.EncodeToString([]byte(strings.Repeat("p", 32))))
	if err != nil {
		t.Fatal(err)
	}
	s := tokens.NewService(repo, tokens.Config{Peppers: p})
	for org, name := range map[tokens.OrgID]string{repotest.Org: "Acme", repotest.Other: "Other"} {
		if _, err := s.CreateOrganization(t.Context(), tokens.Operator(), org, name); err != nil {
			t.Fatal(err)
		}
	}
	rows, err := db.QueryContext(t.Context(), `SELECT column_name FROM information_schema.columns WHERE table_name = 'api_tokens'`)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var columns []string
	for rows.Next() {
		var column string
		if err := rows.Scan(&column); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(unbound, column) {
			columns = append(columns, column)
		}
	}
	if err := rows.Err(); err != nil || len(columns) < len(altered) {
		t.Fatalf("columns %v, %v", columns, err)
	}
	exec := func(statement string) {
		t.Helper()
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	for _, trigger := range []string{"ENABLE", "DISABLE"} {
		exec(`ALTER TABLE api_tokens ` + trigger + ` TRIGGER remove_stale_bounds`)
		for _, column := range columns {
			token, secret, err := s.CreateToken(t.Context(), tokens.Operator(), repotest.Org,
				tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}, IPAllow: []string{"192.0.2.1"}, ExpiresAt: s.Now().AddDate(1, 0, 0)})
			if err != nil {
				t.Fatal(err)
			}
			value, ok := altered[column]
			if !ok {
				t.Errorf("column %s is neither bound nor known to give no authority", column)
				continue
			}
			exec(`UPDATE api_tokens SET ` + column + ` = ` + value + ` WHERE id = '` + string(token.ID) + `'`)
			found, err := s.Introspect(t.Context(), secret)
			if want := tokens.OutcomeAltered; err != nil || found.Outcome != want && (column != "id" || found.Outcome != tokens.OutcomeUnknown) {
				t.Errorf("%s, with the trigger %sD: %s, %v", column, trigger, found.Outcome, err)
			}
			exec(`UPDATE api_tokens SET rotated_from = NULL, rotated_to = NULL`)
			if column == "id" {
				exec(`DELETE FROM api_tokens WHERE id = 'tok_zzzzzzzzzzzz'`)
			}
		}
	}
}

// TestTokensOfThePreviousVersionAreNotAltered: it knows nothing of MACs,
// and what it writes is like an old token.
func TestTokensOfThePreviousVersionAreNotAltered(t *testing.T) {
	t.Parallel()
	dsn := postgrestest.New(t, postgres.Migrate)
	repo, db := open(t, dsn), connect(t, dsn)
	organization(t, repo)
	token, digest := newToken(t, 0)
	token.Bounds = tokens.Digest{Version: 1, MAC: digest.MAC}
	if _, err := repo.CreateToken(t.Context(), repotest.Org, token, digest, nil, fullEntry("token.created", string(token.ID))); err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		statement string
		sealed    bool
	}{
		{`UPDATE api_tokens SET pepper_version = 2, mac = sha256('y'), name = 'x', rev = rev + 1`, true},
		{`UPDATE api_tokens SET expires_at = now() + interval '1 day', rev = rev + 1`, false},
	} {
		if _, err := db.ExecContext(t.Context(), step.statement); err != nil {
			t.Fatal(err)
		}
		unsealed, err := repo.UnsealedTokens(t.Context(), "", 10)
		if err != nil || (len(unsealed) == 0) != step.sealed {
			t.Errorf("after %s: %d tokens without a MAC, %v", step.statement, len(unsealed), err)
		}
	}
}
