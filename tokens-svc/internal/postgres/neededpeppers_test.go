package postgres_test

import (
	"slices"
	"testing"
)

func TestLiveTokensNeedTheirPeppers(t *testing.T) {
	t.Parallel()
	dsn := fresh(t)
	repo := open(t, dsn)
	organization(t, repo)
	needs := func(want ...int) {
		t.Helper()
		if got, err := repo.NeededPeppers(t.Context()); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v, %v, want %v", got, err, want)
		}
	}
	needs()
	for range 5 {
		token, digest := newToken(t, 0)
		_, err := create(t, repo, someOrg, token, digest)
		gives(t, err, nil)
	}
	if _, err := connect(t, dsn).ExecContext(t.Context(), `
		UPDATE api_tokens SET pepper_version = n, expires_at = ends, revoked_at = revoked
		FROM (SELECT id, row_number() OVER () AS nth FROM api_tokens) t JOIN (VALUES
			(1, 2, now() + interval '1 day', NULL), (2, 3, now() - interval '1 day', NULL), (3, 5, NULL, now()),
			(4, 7, NULL, NULL), (5, 7, now() - interval '1 day', NULL)
		) AS v (row, n, ends, revoked) ON row = nth WHERE t.id = api_tokens.id`); err != nil {
		t.Fatal(err)
	}
	needs(2, 7)
}
