package postgres_test

import (
	"strings"
	"testing"

	"github.com/quayside/quayside/tokens-svc/internal/postgres"
	"github.com/quayside/quayside/tokens-svc/internal/postgres/pgtest"
)

// TestEveryMigrationCanBeTakenBack, one after the other, and applied anew.
func TestEveryMigrationCanBeTakenBack(t *testing.T) {
	t.Parallel()
	dsn := pgtest.New(t, postgres.Migrate)
	step := func(direction string) string {
		var out strings.Builder
		if err := postgres.Migrate(t.Context(), pgtest.Direct(dsn), direction, &out); err != nil {
			t.Fatalf("%s: %v", direction, err)
		}
		return out.String()
	}
	n := strings.Count(step("status"), "applied")
	for range n {
		if out := step("down"); !strings.HasPrefix(out, "down ") {
			t.Errorf("down says %q", out)
		}
	}
	if out := step("status"); strings.Count(out, "pending") != n {
		t.Errorf("after %d steps back:\n%s", n, out)
	}
	if out := step("up"); strings.Count(out, "up ") != n {
		t.Errorf("up again:\n%s", out)
	}
}
