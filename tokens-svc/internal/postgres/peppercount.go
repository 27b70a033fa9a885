package postgres

import "context"

// LiveTokensByPepper returns how many tokens that are neither revoked nor
// expired need each version of the pepper.
func (r *Repository) LiveTokensByPepper(ctx context.Context) (map[int]int, error) {
	type countRow struct{ Version, Tokens int }
	rows, err := list[countRow](ctx, r.db, `
		SELECT pepper_version AS version, count(*) AS tokens FROM api_tokens
		WHERE revoked_at IS NULL AND (expires_at IS NULL OR expires_at > now()) GROUP BY 1`)
	counts := map[int]int{}
	for _, row := range rows {
		counts[row.Version] = row.Tokens
	}
	return counts, err
}
