package postgres_test

import (
	"testing"
	"time"

	"github.com/quayside/quayside/tokens-svc/internal/tokens"
)

// TestOldUsageIsRemoved, but not when a token was last used, however long ago.
func TestOldUsageIsRemoved(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	organization(t, repo)
	fill(t, dsn, 2)
	const used, idle tokens.TokenID = "tok_000000000001", "tok_000000000002"
	day := 24 * time.Hour
	var uses []tokens.Use
	for _, days := range []time.Duration{40, 35, 31, 29, 0} {
		uses = append(uses, tokens.Use{Token: used, Requests: 1, LastUsedAt: atNoon.Add(-days * day)})
	}
	uses[3].Errors = []tokens.Failure{{At: uses[3].LastUsedAt}}
	uses = append(uses, tokens.Use{
		Token: idle, LastUsedAt: atNoon.Add(-100 * day), Errors: []tokens.Failure{{At: atNoon.Add(-31 * day)}},
	},
		tokens.Use{Token: idle, LastUsedAt: atNoon.Add(-90 * day)})
	if err := repo.AddUsage(t.Context(), uses); err != nil {
		t.Fatal(err)
	}
	if err := repo.Prune(t.Context(), atNoon); err != nil {
		t.Fatal(err)
	}
	left, err := repo.Usage(t.Context(), someOrg, []tokens.TokenID{used, idle}, atNoon.Add(-1000*day))
	if err != nil || len(left) != 2 {
		t.Fatal(left, err)
	}
	for token, want := range map[tokens.TokenID]int{used: 1, idle: 0} {
		if _, errors, err := repo.History(t.Context(), someOrg, token, atNoon); err != nil || len(errors) != want {
			t.Errorf("%v, %v are left", errors, err)
		}
	}
	for _, u := range left {
		days := atNoon.Sub(u.LastUsedAt) / day
		if u.Token == used && u.Requests != 2 || u.Token == idle && days != 90 {
			t.Errorf("%+v is left", u)
		}
	}
}
