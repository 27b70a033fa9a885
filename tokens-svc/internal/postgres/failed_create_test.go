package postgres_test

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// snapshot is everything in the database, as text.
func snapshot(t *testing.T, db *sql.DB) string {
	t.Helper()
	var all strings.Builder
	for _, table := range []string{"api_tokens", "revision", "changes", "audit_heads", "audit_events"} {
		var text string
		err := db.QueryRowContext(t.Context(),
			fmt.Sprintf(`SELECT coalesce(string_agg(r::text, E'\n' ORDER BY r::text), '') FROM %s r`,
				table)).Scan(&text)
		if err != nil {
			t.Fatal(err)
		}
		all.WriteString(table + ":\n" + text + "\n")
	}
	return all.String()
}

// TestAFailureAtAnyStatementLeavesNothing: whichever table refuses to be written, and even when only the commit fails,
// there is no token, no audit event, no revision and no change.
func TestAFailureAtAnyStatementLeavesNothing(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo, db := open(t, dsn), connect(t, dsn)
	organization(t, repo)
	peppers, err := tokens.ParsePeppers("1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	if err != nil {
		t.Fatal(err)
	}
	s := tokens.NewService(repo, tokens.Config{Peppers: peppers, Now: time.Now})
	draft := tokens.Draft{Name: "ERP", Permissions: []string{"shipments:read"}}
	who := tokens.Operator()
	token, _, err := s.CreateToken(t.Context(), who, someOrg, draft)
	if err != nil {
		t.Fatal(err)
	}
	name := "WMS"
	methods := map[string]func() error{
		"create": func() error { _, _, err := s.CreateToken(t.Context(), who, someOrg, draft); return err },
		"update": func() error {
			_, err := s.UpdateToken(t.Context(), who, someOrg, token.ID, tokens.Patch{Name: &name})
			return err
		},
		"rotate": func() error { _, err := s.RotateToken(t.Context(), who, someOrg, token.ID, 0); return err },
		"revoke": func() error { _, err := s.RevokeToken(t.Context(), who, someOrg, token.ID, "", false); return err },
	}
	must := func(statement string) {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	must(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql
		AS $$ BEGIN RAISE EXCEPTION 'the disk is on fire'; END $$`)
	before := snapshot(t, db)
	for _, table := range []string{"api_tokens", "revision", "changes", "audit_heads", "audit_events"} {
		for _, trigger := range []string{
			"CREATE TRIGGER failing BEFORE INSERT OR UPDATE ON %s FOR EACH ROW EXECUTE FUNCTION fail()",
			"CREATE CONSTRAINT TRIGGER failing AFTER INSERT OR UPDATE ON %s DEFERRABLE INITIALLY DEFERRED FOR " +
				"EACH ROW " +
				"EXECUTE FUNCTION fail()",
		} {
			must(fmt.Sprintf(trigger, table))
			for name, method := range methods {
				if err := method(); err == nil || !strings.Contains(err.Error(), "the disk is on fire") ||
					errors.Is(err, tokens.ErrUnavailable) {
					t.Errorf("%s with a failing %s: %v", name, table, err)
				}
				if after := snapshot(t, db); after != before {
					t.Errorf("%s with a failing %s leaves something:\n%s\nbefore:\n%s", name, table, after, before)
				}
			}
			must("DROP TRIGGER failing ON " + table)
		}
	}
	for _, name := range []string{"create", "update", "rotate", "revoke"} {
		if err := methods[name](); err != nil {
			t.Errorf("%s once nothing fails: %v", name, err)
		}
	}
	if _, err := repo.VerifyAudit(t.Context(), string(someOrg)); err != nil {
		t.Error(err)
	}
}
